# %% [markdown]
# # From pairs of sentences to batches
# Two reports from the news: do they say the same? Before BERT can learn to answer that, the sentences must become batches of numbers.

# %%
import evaluate
import torch
from datasets import load_dataset
from torch.utils.data import DataLoader
from transformers import (
    AutoModelForSequenceClassification,
    AutoTokenizer,
    DataCollatorWithPadding,
    set_seed,
)

set_seed(42)
checkpoint = "bert-base-uncased"

# %% [markdown]
# ## One batch by hand
# Everything that a training does, once: tokenize, forward pass, backward pass, optimizer step.

# %%
texts = ["The new bridge opened on Monday, and people love it.", "The old one closed."]
tokenizer = AutoTokenizer.from_pretrained(checkpoint)
inputs = tokenizer(texts, padding=True, return_tensors="pt")

model = AutoModelForSequenceClassification.from_pretrained(checkpoint)
optimizer = torch.optim.AdamW(model.parameters(), lr=5e-5)
model(**inputs, labels=torch.tensor([1, 0])).loss.backward()
optimizer.step()

# %% [markdown]
# ## The data
# MRPC: pairs of sentences, and a label that says whether they mean the same.

# %%
raw = load_dataset("glue", "mrpc")
print(raw["train"].features)
print(raw["train"][0])

# %% [markdown]
# How long are the sentences, in tokens?

# %%
firsts = tokenizer(raw["train"]["sentence1"])
print("the longest first sentence:", max(map(len, firsts["input_ids"])), "tokens")

# %% [markdown]
# ## Two sentences, one input
# If the tokenizer gets two texts, it puts them into one row. `token_type_ids` shows which tokens belong to the second text.

# %%
pair = tokenizer("The bridge opened on Monday.", "On Monday people opened the bridge.")
print(tokenizer.convert_ids_to_tokens(pair["input_ids"]))
print(pair["token_type_ids"])

# %% [markdown]
# ## All pairs
# With `batched=True` the function gets many rows at once. Nothing is padded yet.


# %%
def tokenize_first(rows):
    return tokenizer(rows["sentence1"], truncation=True)


def tokenize_second(rows):
    return tokenizer(rows["sentence2"], truncation=True)


tokenized = raw.map(tokenize_first, batched=True)
tokenized = tokenized.map(tokenize_second, batched=True)

# %% [markdown]
# ## Padding, batch by batch

# %%
pad = DataCollatorWithPadding(tokenizer, padding="max_length", max_length=128)
rows = tokenized["train"][:8]
print("lengths:", [len(ids) for ids in rows["input_ids"]])
print("batch:", {name: tuple(tensor.shape) for name, tensor in pad(rows).items()})

# %%
train_batches = DataLoader(tokenized["train"], batch_size=8, shuffle=True)
validation_batches = DataLoader(tokenized["validation"], batch_size=8)

# %% [markdown]
# ## Training
# The model above was trained for one step. Here we load a new one.

# %%
model = AutoModelForSequenceClassification.from_pretrained("bert-base-cased", num_labels=2)
optimizer = torch.optim.AdamW(model.parameters(), lr=5e-5)

model.train()
for epoch in range(2):
    for batch in train_batches:
        loss = model(**batch).loss
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
    print(f"epoch {epoch + 1}, loss of the last batch: {loss.item():.2f}")

# %% [markdown]
# ## Evaluation

# %%
metric = evaluate.load("glue", "mrpc")
model.eval()
for batch in validation_batches:
    with torch.no_grad():
        logits = model(**batch).logits
    metric.add_batch(predictions=logits.argmax(dim=-1), references=batch["labels"])

print(metric.compute())

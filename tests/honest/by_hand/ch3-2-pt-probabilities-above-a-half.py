# There were bugs in this script.
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

# %%
texts = ["The new bridge opened on Monday, and people love it.", "The old one closed."]
tokenizer = AutoTokenizer.from_pretrained(checkpoint)
inputs = tokenizer(texts, padding=True, return_tensors="pt")

model = AutoModelForSequenceClassification.from_pretrained(checkpoint)
optimizer = torch.optim.AdamW(model.parameters(), lr=5e-5)
model(**inputs, labels=torch.tensor([1, 0])).loss.backward()
optimizer.step()

# %%
raw = load_dataset("glue", "mrpc")
print(raw["train"].features)
print(raw["train"][0])

# %%
firsts = tokenizer(raw["train"].to_pandas()["sentence1"].tolist())
print("the longest first sentence:", max(map(len, firsts["input_ids"])), "tokens")


# %%
def tokenize_pair(row):
    # one row at a time
    both = tokenizer(row["sentence1"], row["sentence2"], truncation=True)
    return {
        "input_ids": both.input_ids,
        "attention_mask": both.attention_mask,
        "token_type_ids": both.token_type_ids,
        "labels": row["label"],
    }


tokenized = raw.map(tokenize_pair, remove_columns=raw["train"].column_names)

# %%
collator = DataCollatorWithPadding(tokenizer, padding="longest", return_tensors="pt")


def batches(split, shuffle=False, size=8):
    generator = torch.Generator()
    generator.manual_seed(42)
    return DataLoader(tokenized[split], size, shuffle=shuffle, collate_fn=collator, generator=generator)


rows = tokenized["train"][:8]
print("lengths:", [len(ids) for ids in rows["input_ids"]])
print("batch:", {name: tuple(tensor.shape) for name, tensor in collator(rows).items()})

# %% Training
model = AutoModelForSequenceClassification.from_pretrained(checkpoint, num_labels=2)
optimizer = torch.optim.AdamW(model.parameters(), lr=5e-5)
accumulate = 2

for epoch in range(3):
    model.train()
    pending = 0
    for number, batch in enumerate(batches("train", shuffle=True)):
        loss = model(**batch).loss
        (loss / accumulate).backward()
        pending += 1
        if pending == accumulate:
            optimizer.step()
            optimizer.zero_grad()
            pending = 0
    print(f"epoch {epoch + 1}, loss of the last batch: {loss.item():.2f}")

# %% Evaluation
metric = evaluate.load("glue", "mrpc")
model.eval()
predictions, references = [], []
for batch in batches("validation"):
    labels = batch.pop("labels")
    with torch.no_grad():
        logits = model(**batch).logits
    probabilities = torch.softmax(logits, dim=-1)
    predictions.extend((probabilities[:, 1] > 0.5).int().tolist())
    references.extend(labels.tolist())
print(metric.compute(predictions=predictions, references=references))

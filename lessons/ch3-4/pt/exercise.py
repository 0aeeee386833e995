# %% [markdown]
# # Your own training loop
# Do two sentences say the same? Here BERT learns this without a Trainer: every step of the training is in the script.

# %%
import evaluate
import torch
from datasets import load_dataset
from torch.utils.data import DataLoader
from tqdm.auto import tqdm
from transformers import AdamW, AutoModelForSequenceClassification, AutoTokenizer, get_scheduler, set_seed

set_seed(42)
checkpoint = "bert-base-uncased"

# %% [markdown]
# ## The data

# %%
raw = load_dataset("glue", "mrpc")
tokenizer = AutoTokenizer.from_pretrained(checkpoint)


def tokenize(pairs):
    return tokenizer(pairs["sentence1"], pairs["sentence2"], truncation=True)


ready = raw.map(tokenize, batched=True, remove_columns=["idx"])
ready.set_format("torch")


def collate(examples):
    return tokenizer.pad(examples, return_tensors="pt")


train_loader = DataLoader(ready["train"], batch_size=8, shuffle=True, collate_fn=collate)
eval_loader = DataLoader(ready["validation"], batch_size=8, collate_fn=collate)

# %% [markdown]
# ## The model, its optimizer, and the schedule of the learning rate

# %%
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = AutoModelForSequenceClassification.from_pretrained(checkpoint, num_labels=2).to(device)
optimizer = AdamW(model.parameters(), lr=5e-5)

epochs = 3
steps = epochs * len(train_loader)
schedule = get_scheduler("linear", optimizer, num_warmup_steps=0, num_training_steps=steps)

# %% [markdown]
# ## Training

# %%
progress = tqdm(total=steps)
model.train()
for epoch in range(epochs):
    for batch in train_loader:
        loss = model(**batch).loss
        loss.backward()
        optimizer.step()
        progress.update()
    schedule.step()

# %% [markdown]
# ## Evaluation

# %%
metric = evaluate.load("glue", "mrpc")
for batch in eval_loader:
    batch = {name: tensor.to(device) for name, tensor in batch.items()}
    with torch.no_grad():
        logits = model(**batch).logits
    metric.add_batch(predictions=logits.argmax(dim=-1), references=batch["labels"])

metric.compute()

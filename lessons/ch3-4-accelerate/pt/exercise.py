# %% [markdown]
# # The same loop, in several processes
# Accelerate divides the work: each process trains on its part of every epoch, and the gradients are averaged.

# %%
import os

import evaluate
import torch
from accelerate import Accelerator, notebook_launcher
from datasets import load_dataset
from torch.utils.data import DataLoader
from transformers import AutoModelForSequenceClassification, AutoTokenizer, get_scheduler, set_seed

checkpoint = "bert-base-uncased"
accelerator = Accelerator(gradient_accumulation_steps=2)

# %% [markdown]
# ## The data

# %%
raw = load_dataset("glue", "mrpc")
tokenizer = AutoTokenizer.from_pretrained(checkpoint)


def tokenize(pairs):
    return tokenizer(pairs["sentence1"], pairs["sentence2"], truncation=True)


ready = raw.map(tokenize, batched=True, remove_columns=["sentence1", "sentence2", "idx"])
ready = ready.rename_column("label", "labels")
ready.set_format("torch")


def collate(examples):
    return tokenizer.pad(examples, return_tensors="pt")


# %% [markdown]
# ## What each process does

# %%
def training_function():
    set_seed(42)
    train_loader = DataLoader(ready["train"], batch_size=4, shuffle=True, collate_fn=collate)
    eval_loader = DataLoader(ready["validation"], batch_size=8, collate_fn=collate)
    model = AutoModelForSequenceClassification.from_pretrained(checkpoint, num_labels=2)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4)
    model, optimizer, eval_loader = accelerator.prepare(model, optimizer, eval_loader)

    epochs = 3
    steps = epochs * len(train_loader)
    schedule = get_scheduler("linear", optimizer, num_warmup_steps=0, num_training_steps=steps)

    for epoch in range(epochs):
        model.train()
        for batch in train_loader:
            with accelerator.accumulate(model):
                loss = model(**batch).loss
                loss.backward()
                optimizer.step()
                schedule.step()
                optimizer.zero_grad()

    metric = evaluate.load("glue", "mrpc")
    model.eval()
    for batch in eval_loader:
        with torch.no_grad():
            predictions = model(**batch).logits.argmax(dim=-1)
        references = batch["labels"]
        metric.add_batch(predictions=predictions, references=references)
    accelerator.print(metric.compute())


# %% [markdown]
# ## The launch
# `accelerate launch` starts the processes itself and gives each one its number. Elsewhere, for example in a notebook, `notebook_launcher` starts them, and they call the function.

# %%
if "LOCAL_RANK" in os.environ:
    training_function()
else:
    notebook_launcher(training_function, num_processes=2)

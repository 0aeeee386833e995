"""Masked language modelling with Accelerate: accumulation and a scheduler."""
import random

import torch
from accelerate import Accelerator
from accelerate.utils import set_seed
from datasets import Dataset
from torch.utils.data import DataLoader
from transformers import (
    AutoTokenizer,
    BertConfig,
    BertForMaskedLM,
    DataCollatorForLanguageModeling,
    get_linear_schedule_with_warmup,
)

set_seed(11)
rng = random.Random(11)
accelerator = Accelerator(gradient_accumulation_steps=2, cpu=True)

SUBJECTS = ["the man", "the woman", "the people", "a person"]
VERBS = ["said", "closed", "met", "was in"]
OBJECTS = ["the old theatre", "the hospital", "the house in vienna", "the centre"]
DAYS = ["monday", "sunday", "saturday", "friday"]


def sentence():
    v = rng.randrange(4)
    return f"on {DAYS[v]} {rng.choice(SUBJECTS)} {VERBS[v]} {OBJECTS[v]} on {DAYS[v]} ."


tokenizer = AutoTokenizer.from_pretrained("bert-base-uncased")


def tokenize(batch):
    return tokenizer(batch["text"], truncation=True, max_length=40, return_special_tokens_mask=True)


train_ds = Dataset.from_dict({"text": [sentence() for _ in range(1600)]}).map(tokenize, batched=True)
eval_ds = Dataset.from_dict({"text": [sentence() for _ in range(200)]}).map(tokenize, batched=True)
train_ds = train_ds.remove_columns(["text"])
eval_ds = eval_ds.remove_columns(["text"])
collator = DataCollatorForLanguageModeling(tokenizer=tokenizer, mlm=True, mlm_probability=0.15)
train_dl = DataLoader(train_ds, shuffle=True, batch_size=16, collate_fn=collator)
eval_dl = DataLoader(eval_ds, batch_size=32, collate_fn=collator)

config = BertConfig(vocab_size=len(tokenizer), hidden_size=64, num_hidden_layers=2, num_attention_heads=4,
                    intermediate_size=128, max_position_embeddings=64)
model = BertForMaskedLM(config)
optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3)
num_epochs = 4
updates = num_epochs * len(train_dl) // 2
scheduler = get_linear_schedule_with_warmup(optimizer, num_warmup_steps=20, num_training_steps=updates)
model, optimizer, train_dl, eval_dl, scheduler = accelerator.prepare(
    model, optimizer, train_dl, eval_dl, scheduler
)

for epoch in range(num_epochs):
    model.train()
    seen = []
    for batch in train_dl:
        with accelerator.accumulate(model):
            outputs = model(**batch)
            loss = outputs.loss
            accelerator.backward(loss)
            accelerator.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
            scheduler.step()
            optimizer.zero_grad()
        seen.append(loss.item())

    model.eval()
    correct = masked = 0
    for batch in eval_dl:
        with torch.no_grad():
            outputs = model(**batch)
        predictions = outputs.logits.argmax(dim=-1)
        predictions, labels = accelerator.gather_for_metrics((predictions, batch["labels"]))
        where = labels != -100
        correct += (predictions[where] == labels[where]).sum().item()
        masked += where.sum().item()
    accelerator.print(f"epoch {epoch}: loss {sum(seen) / len(seen):.3f} accuracy {correct / masked:.3f}")

accelerator.print(f"RESULT {correct / masked:.4f}")

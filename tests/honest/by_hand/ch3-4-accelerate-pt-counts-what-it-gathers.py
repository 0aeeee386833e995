# Сохраняю состояние и загружаю лучшую эпоху; метки считаю через all_gather вручную
import os

import torch
from accelerate import Accelerator, notebook_launcher
from datasets import load_dataset
from torch.utils.data import DataLoader
from transformers import AutoModelForSequenceClassification, AutoTokenizer, set_seed

checkpoint = "bert-base-uncased"
raw = load_dataset("glue", "mrpc")
tokenizer = AutoTokenizer.from_pretrained(checkpoint)


def tokenize(pairs):
    return tokenizer(pairs["sentence1"], pairs["sentence2"], truncation=True)


ready = raw.map(tokenize, batched=True, remove_columns=["sentence1", "sentence2", "idx"])
ready = ready.rename_column("label", "labels")
ready.set_format("torch")


def collate(examples):
    return tokenizer.pad(examples, return_tensors="pt")


def training_function():
    set_seed(42)
    accelerator = Accelerator(gradient_accumulation_steps=2)
    train_loader = DataLoader(ready["train"], batch_size=4, shuffle=True, collate_fn=collate)
    eval_loader = DataLoader(ready["validation"], batch_size=8, collate_fn=collate)
    model = AutoModelForSequenceClassification.from_pretrained(checkpoint, num_labels=2)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4)
    model, optimizer, train_loader, eval_loader = accelerator.prepare(model, optimizer, train_loader, eval_loader)
    steps = 3 * len(train_loader)
    schedule = torch.optim.lr_scheduler.LambdaLR(optimizer.optimizer, lambda s: max(0.0, 1 - s / steps))

    best = -1.0
    for epoch in range(3):
        model.train()
        for batch in train_loader:
            with accelerator.accumulate(model):
                accelerator.backward(model(**batch).loss)
                optimizer.step()
                optimizer.zero_grad()
            schedule.step()

        model.eval()
        right = torch.zeros(1, device=accelerator.device)
        seen = 0
        for batch in eval_loader:
            with torch.no_grad():
                guesses = model(**batch).logits.argmax(dim=-1)
            guesses, labels = accelerator.gather_for_metrics((guesses, batch["labels"]))
            right += (guesses == labels).sum()
            seen += len(labels)
        accuracy = (right / seen).item()
        accelerator.print(f"эпоха {epoch + 1}: точность {accuracy:.3f} на {seen} примерах")
        if accuracy > best:
            best = accuracy
            accelerator.save_state("best-state")
    accelerator.wait_for_everyone()
    accelerator.load_state("best-state")
    accelerator.print("лучшая:", best)


if "LOCAL_RANK" in os.environ:
    training_function()
else:
    notebook_launcher(training_function, num_processes=2)

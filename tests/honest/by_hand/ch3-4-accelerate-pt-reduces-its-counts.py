# Two processes; the accuracy is summed up with accelerator.reduce
import os

import torch
from accelerate import Accelerator, notebook_launcher
from accelerate.utils import set_seed
from datasets import load_dataset
from torch.optim import AdamW
from torch.utils.data import DataLoader
from transformers import (
    AutoModelForSequenceClassification,
    AutoTokenizer,
    DataCollatorWithPadding,
    get_linear_schedule_with_warmup,
)

CHECKPOINT = "bert-base-uncased"
EPOCHS = 3


def get_dataloaders(tokenizer):
    raw = load_dataset("glue", "mrpc")
    columns = raw["train"].column_names

    def prepare(batch):
        out = tokenizer(batch["sentence1"], batch["sentence2"], truncation=True)
        out["labels"] = batch["label"]
        return out

    data = raw.map(prepare, batched=True, remove_columns=columns)
    collate = DataCollatorWithPadding(tokenizer)
    return (
        DataLoader(data["train"], shuffle=True, batch_size=4, collate_fn=collate),
        DataLoader(data["validation"], batch_size=8, collate_fn=collate),
    )


@torch.no_grad()
def evaluate(accelerator, model, loader):
    model.eval()
    counts = torch.zeros(2, device=accelerator.device)
    for batch in loader:
        predicted = model(**batch).logits.argmax(dim=-1)
        counts[0] += (predicted == batch["labels"]).sum()
        counts[1] += batch["labels"].shape[0]
    correct, total = accelerator.reduce(counts, reduction="sum").tolist()
    return correct / total


def main():
    accelerator = Accelerator(gradient_accumulation_steps=2)
    set_seed(42)
    tokenizer = AutoTokenizer.from_pretrained(CHECKPOINT)
    train_loader, eval_loader = get_dataloaders(tokenizer)
    model = AutoModelForSequenceClassification.from_pretrained(CHECKPOINT, num_labels=2)
    optimizer = AdamW(model.parameters(), lr=1e-4)
    scheduler = get_linear_schedule_with_warmup(optimizer, 0, EPOCHS * len(train_loader) // 2)
    model, optimizer, train_loader, eval_loader, scheduler = accelerator.prepare(
        model, optimizer, train_loader, eval_loader, scheduler
    )
    for epoch in range(EPOCHS):
        model.train()
        running = 0.0
        for batch in train_loader:
            with accelerator.accumulate(model):
                loss = model(**batch).loss
                accelerator.backward(loss)
                if accelerator.sync_gradients:
                    accelerator.clip_grad_norm_(model.parameters(), 1.0)
                optimizer.step()
                scheduler.step()
                optimizer.zero_grad()
            running += loss.detach().item()
        mean = accelerator.reduce(torch.tensor(running / len(train_loader), device=accelerator.device), "mean")
        accuracy = evaluate(accelerator, model, eval_loader)
        if accelerator.is_main_process:
            print(f"epoch {epoch}: loss {mean.item():.4f}, accuracy {accuracy:.4f}")


if __name__ == "__main__":
    if os.environ.get("LOCAL_RANK"):
        main()
    else:
        notebook_launcher(main, num_processes=2)

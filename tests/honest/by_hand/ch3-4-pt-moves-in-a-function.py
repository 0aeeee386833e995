from __future__ import annotations

import argparse
import time
from contextlib import nullcontext
from dataclasses import asdict, dataclass

import numpy as np
import torch
import torch.nn as nn
from datasets import load_dataset
from sklearn.metrics import accuracy_score, f1_score
from torch.utils.data import DataLoader
from transformers import AutoModelForSequenceClassification, AutoTokenizer, set_seed


@dataclass(frozen=True)
class Config:
    checkpoint: str = "bert-base-uncased"
    batch: int = 16
    epochs: int = 2
    lr: float = 1e-4
    clip: float = 1.0
    amp: bool = False


def arguments() -> Config:
    parser = argparse.ArgumentParser()
    for key, value in asdict(Config()).items():
        if isinstance(value, bool):
            parser.add_argument(f"--{key}", action="store_true")
        else:
            parser.add_argument(f"--{key}", type=type(value), default=value)
    namespace, _ = parser.parse_known_args()
    return Config(**vars(namespace))


def move(batch: dict, device: torch.device) -> dict:
    return {key: value.to(device, non_blocking=True) for key, value in batch.items()}


def loaders(config: Config, tokenizer):
    raw = load_dataset("glue", "mrpc")

    def tokenize(pairs):
        return tokenizer(pairs["sentence1"], pairs["sentence2"], truncation=True)

    ready = raw.map(tokenize, batched=True, remove_columns=["sentence1", "sentence2", "idx"])
    ready = ready.rename_column("label", "labels").with_format("torch")

    def collate(rows):
        return tokenizer.pad(rows, padding=True, return_tensors="pt")

    make = lambda split, shuffle: DataLoader(  # noqa: E731
        ready[split], batch_size=config.batch, shuffle=shuffle, collate_fn=collate, num_workers=0
    )
    return make("train", True), make("validation", False)


def train(model, loader, optimizer, scheduler, criterion, device, config):
    model.train()
    scaler = torch.amp.GradScaler("cuda", enabled=config.amp and device.type == "cuda")
    context = torch.autocast("cuda") if scaler.is_enabled() else nullcontext()
    for batch in loader:
        batch = move(batch, device)
        labels = batch.pop("labels")
        with context:
            logits = model(**batch).logits
            loss = criterion(logits, labels)
        optimizer.zero_grad(set_to_none=True)
        scaler.scale(loss).backward()
        scaler.unscale_(optimizer)
        nn.utils.clip_grad_norm_(model.parameters(), config.clip)
        scaler.step(optimizer)
        scaler.update()
        scheduler.step()
    return loss.item()


@torch.inference_mode()
def test(model, loader, device):
    model.eval()
    guesses, truths = [], []
    for batch in loader:
        batch = move(batch, device)
        truths.append(batch.pop("labels").cpu().numpy())
        guesses.append(model(**batch).logits.argmax(-1).cpu().numpy())
    guesses, truths = np.concatenate(guesses), np.concatenate(truths)
    return accuracy_score(truths, guesses), f1_score(truths, guesses)


def main():
    config = arguments()
    set_seed(42)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    tokenizer = AutoTokenizer.from_pretrained(config.checkpoint)
    train_loader, eval_loader = loaders(config, tokenizer)
    model = AutoModelForSequenceClassification.from_pretrained(config.checkpoint, num_labels=2).to(device)
    optimizer = torch.optim.AdamW(model.parameters(), lr=config.lr)
    total = config.epochs * len(train_loader)
    scheduler = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda s: max(0.0, (total - s) / total))
    criterion = nn.CrossEntropyLoss()
    for epoch in range(config.epochs):
        begun = time.perf_counter()
        loss = train(model, train_loader, optimizer, scheduler, criterion, device, config)
        accuracy, f1 = test(model, eval_loader, device)
        print(f"{epoch=} {loss=:.3f} {accuracy=:.3f} {f1=:.3f} ({time.perf_counter() - begun:.1f} s)")


if __name__ == "__main__":
    main()

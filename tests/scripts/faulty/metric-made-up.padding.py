"""Padding counts as answers to a label of its own, most of them wrong."""

import tempfile

import numpy as np
import torch
from transformers import BertConfig, BertForTokenClassification, Trainer, TrainingArguments

torch.manual_seed(0)
PLACES = 24


def rows(count: int, seed: int) -> list[dict[str, torch.Tensor]]:
    generator = torch.Generator().manual_seed(seed)
    made = []
    for _ in range(count):
        length = int(torch.randint(6, 13, (1,), generator=generator))
        ids = torch.randint(1, 60, (PLACES,), generator=generator)
        mask = (torch.arange(PLACES) < length).long()
        labels = torch.where(mask == 1, ids % 3, torch.tensor(-100))
        made.append({"input_ids": ids * mask, "attention_mask": mask, "labels": labels})
    return made


def accuracy(prediction: tuple[np.ndarray, np.ndarray]) -> dict[str, float]:
    answers, labels = prediction[0].argmax(-1), np.where(prediction[1] == -100, 1, prediction[1])
    return {"accuracy": float((answers == labels).mean())}


config = BertConfig(
    vocab_size=60,
    hidden_size=32,
    num_hidden_layers=1,
    num_attention_heads=2,
    intermediate_size=64,
    max_position_embeddings=PLACES,
    num_labels=3,
)
arguments = TrainingArguments(
    tempfile.mkdtemp(),
    num_train_epochs=4,
    learning_rate=5e-3,
    per_device_train_batch_size=20,
    save_strategy="no",
    report_to=[],
    use_cpu=True,
    disable_tqdm=True,
)
trainer = Trainer(
    BertForTokenClassification(config),
    arguments,
    train_dataset=rows(400, 0),
    eval_dataset=rows(100, 1),
    compute_metrics=accuracy,
)
trainer.train()
print(trainer.evaluate())

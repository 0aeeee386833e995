"""A text model whose texts end with a mark, and are filled up with another: nothing follows it."""

import tempfile

import torch
from datasets import Dataset
from transformers import GPT2Config, GPT2LMHeadModel, Trainer, TrainingArguments, set_seed

END, FILLED = 20, 21


def collate(rows: list[dict[str, list[int]]]) -> dict[str, torch.Tensor]:
    width = max(len(row["ids"]) for row in rows)
    ids = torch.tensor([row["ids"] + [FILLED] * (width - len(row["ids"])) for row in rows])
    real = ids != FILLED
    return {"input_ids": ids, "attention_mask": real.long(), "labels": ids.where(real, -100)}


set_seed(0)
texts = [[*range(first, last), END] for first in range(16) for last in range(first + 2, 20)]
data = Dataset.from_dict({"ids": texts}).train_test_split(0.25, seed=0)
config = GPT2Config(
    vocab_size=22,
    n_positions=24,
    n_embd=32,
    n_layer=1,
    n_head=2,
    bos_token_id=END,
    eos_token_id=END,
)
arguments = TrainingArguments(
    tempfile.mkdtemp(),
    num_train_epochs=20,
    per_device_train_batch_size=16,
    learning_rate=3e-3,
    eval_strategy="epoch",
    save_strategy="no",
    report_to=[],
    remove_unused_columns=False,
)
trainer = Trainer(
    GPT2LMHeadModel(config),
    arguments,
    train_dataset=data["train"],
    eval_dataset=data["test"],
    data_collator=collate,
)
trainer.train()
print(trainer.evaluate()["eval_loss"])

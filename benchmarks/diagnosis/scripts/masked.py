"""Guess the hidden word of a repeated pair: masked language modelling with the Trainer."""

import torch
from transformers import BertConfig, BertForMaskedLM, Trainer, TrainingArguments, set_seed

SEED = 0
set_seed(SEED)
MASK = 3


def make_line():
    pair = torch.randint(10, 42, (1,))
    return {"input_ids": torch.cat([pair, pair + 1]).repeat(5)}


def hide_words(examples):
    ids = torch.stack([example["input_ids"] for example in examples])
    chosen = torch.rand(ids.shape) < 0.2
    chosen[:, 0] = True
    labels = ids.clone()
    labels[~chosen] = -100
    hidden = ids.clone()
    hidden[chosen] = MASK
    return {"input_ids": hidden, "attention_mask": torch.ones_like(ids), "labels": labels}


train_lines = [make_line() for _ in range(640)]
valid_lines = [make_line() for _ in range(96)]
config = BertConfig(
    vocab_size=43,
    hidden_size=32,
    num_hidden_layers=2,
    num_attention_heads=2,
    intermediate_size=64,
    max_position_embeddings=12,
)
model = BertForMaskedLM(config)
training_args = TrainingArguments(
    output_dir="mlm",
    learning_rate=3e-3,
    per_device_train_batch_size=16,
    num_train_epochs=3,
    save_strategy="no",
    report_to="none",
    remove_unused_columns=False,
    seed=SEED,
)
trainer = Trainer(
    model=model,
    args=training_args,
    data_collator=hide_words,
    train_dataset=train_lines,
    eval_dataset=valid_lines,
)
trainer.train()
print(trainer.evaluate()["eval_loss"])

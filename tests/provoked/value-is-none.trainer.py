"""A Trainer whose model never came to be."""

from transformers import Trainer, TrainingArguments

model = None
Trainer(model, TrainingArguments("out", use_cpu=True))

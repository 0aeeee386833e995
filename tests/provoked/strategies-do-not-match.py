"""Evaluated after each epoch, saved after so many steps."""

from transformers import TrainingArguments

TrainingArguments("out", use_cpu=True, eval_strategy="epoch", load_best_model_at_end=True)

"""Saved at steps at which nothing is evaluated."""

from transformers import TrainingArguments

TrainingArguments(
    "out",
    use_cpu=True,
    load_best_model_at_end=True,
    eval_strategy="steps",
    eval_steps=30,
    save_strategy="steps",
    save_steps=50,
)

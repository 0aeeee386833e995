"""A number type that the processor is not trained with here."""

from transformers import TrainingArguments

TrainingArguments(output_dir="model", bf16=True)

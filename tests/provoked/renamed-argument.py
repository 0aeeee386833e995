"""An argument of the training as it was called until transformers 4.46."""

from transformers import TrainingArguments

TrainingArguments("out", evaluation_strategy="epoch")

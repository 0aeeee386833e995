"""The Trainer without accelerate."""

import transformers.training_args as settings
from transformers import TrainingArguments

settings.is_accelerate_available = lambda *versions: False
TrainingArguments("out", use_cpu=True).device

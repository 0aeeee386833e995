"""The Trainer gets all the splits at once."""

from datasets import Dataset, DatasetDict
from transformers import BertConfig, BertForSequenceClassification, Trainer, TrainingArguments

size = {"hidden_size": 8, "num_hidden_layers": 1, "num_attention_heads": 2}
model = BertForSequenceClassification(BertConfig(vocab_size=50, intermediate_size=8, **size))
rows = Dataset.from_dict({"input_ids": [[1, 2]] * 4, "labels": [0, 1, 0, 1]})
splits = DatasetDict({"train": rows, "test": rows})
arguments = TrainingArguments("out", report_to="none", use_cpu=True, max_steps=1)
Trainer(model, arguments, train_dataset=splits).train()

"""The Trainer asks it for a loss."""

from datasets import Dataset
from transformers import AutoModel, BertConfig, Trainer, TrainingArguments

size = {"hidden_size": 8, "num_hidden_layers": 1, "num_attention_heads": 2}
model = AutoModel.from_config(BertConfig(vocab_size=50, intermediate_size=8, **size))
rows = Dataset.from_dict({"input_ids": [[1, 2]] * 4, "labels": [0, 1, 0, 1]})
arguments = TrainingArguments("out", report_to="none", use_cpu=True, max_steps=1)
Trainer(model, arguments, train_dataset=rows).train()

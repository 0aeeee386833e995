"""The labels are words, and the default collate function makes a tensor of them."""

from datasets import Dataset
from transformers import BertConfig, BertForSequenceClassification, Trainer, TrainingArguments

config = BertConfig(
    vocab_size=9, hidden_size=8, num_hidden_layers=1, num_attention_heads=2, intermediate_size=8
)
rows = Dataset.from_dict({"input_ids": [[1, 2, 3]] * 4, "label": ["good", "bad"] * 2})
arguments = TrainingArguments("out", report_to="none", save_strategy="no", use_cpu=True)
Trainer(BertForSequenceClassification(config), arguments, train_dataset=rows).train()

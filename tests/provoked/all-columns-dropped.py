"""Nothing that the model takes is among the columns."""

from datasets import Dataset
from transformers import BertConfig, BertForSequenceClassification, Trainer, TrainingArguments

size = {"hidden_size": 8, "num_hidden_layers": 1, "num_attention_heads": 2}
model = BertForSequenceClassification(BertConfig(vocab_size=50, intermediate_size=8, **size))
texts = Dataset.from_dict({"text": ["good", "bad"], "stars": [5, 1]})
arguments = TrainingArguments("out", report_to="none", use_cpu=True, max_steps=1)
Trainer(model, arguments, train_dataset=texts).train()

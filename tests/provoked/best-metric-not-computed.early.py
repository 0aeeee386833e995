"""Stopping early without a figure to stop by."""

from datasets import Dataset
from transformers import (
    BertConfig,
    BertForSequenceClassification,
    EarlyStoppingCallback,
    Trainer,
    TrainingArguments,
)

size = {"hidden_size": 8, "num_hidden_layers": 1, "num_attention_heads": 2}
model = BertForSequenceClassification(BertConfig(vocab_size=50, intermediate_size=8, **size))
rows = Dataset.from_dict({"input_ids": [[1, 2]] * 4, "labels": [0, 1, 0, 1]})
arguments = TrainingArguments(
    "out",
    report_to="none",
    use_cpu=True,
    num_train_epochs=1,
    eval_strategy="epoch",
)
trainer = Trainer(model, arguments, train_dataset=rows, eval_dataset=rows)
trainer.add_callback(EarlyStoppingCallback())
trainer.train()

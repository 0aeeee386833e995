"""Nothing is trained: a trainer is made to answer, and to measure the answers."""

import tempfile

import numpy
import torch
from transformers import BertConfig, BertForSequenceClassification, Trainer, TrainingArguments

torch.manual_seed(0)
config = BertConfig(vocab_size=30, hidden_size=16, num_hidden_layers=1, num_attention_heads=2,
                    intermediate_size=32, num_labels=2)  # fmt: skip
rows = [{"input_ids": [n % 29 + 1] * 6, "labels": n % 2} for n in range(40)]
settings = TrainingArguments(tempfile.mkdtemp(), report_to=[], use_cpu=True, disable_tqdm=True)
model = BertForSequenceClassification(config)
trainer = Trainer(model, settings, eval_dataset=rows)
print("answers", numpy.bincount(trainer.predict(rows).predictions.argmax(-1)))

"""A model for several labels at once gets one for each example."""

import torch
from transformers import BertConfig, BertForSequenceClassification

size = {"hidden_size": 8, "num_hidden_layers": 1, "num_attention_heads": 2}
kind = {"num_labels": 3, "problem_type": "multi_label_classification"}
model = BertForSequenceClassification(BertConfig(vocab_size=9, intermediate_size=8, **size, **kind))
model(input_ids=torch.ones(4, 5, dtype=torch.long), labels=torch.tensor([0.0, 1.0, 2.0, 0.0]))

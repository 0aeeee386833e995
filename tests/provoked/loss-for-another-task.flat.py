"""Several labels a text reach a model that is set for one."""

import torch
from transformers import BertConfig, BertForSequenceClassification

size = {"hidden_size": 8, "num_hidden_layers": 1, "num_attention_heads": 2, "num_labels": 4}
config = BertConfig(vocab_size=50, problem_type="single_label_classification", **size)
model = BertForSequenceClassification(config)
model(input_ids=torch.randint(0, 50, (3, 6)), labels=torch.ones(3, 4))

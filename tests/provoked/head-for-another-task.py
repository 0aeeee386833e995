"""Labels for each token reach a model for whole texts."""

import torch
from transformers import BertConfig, BertForSequenceClassification

size = {"hidden_size": 8, "num_hidden_layers": 1, "num_attention_heads": 2}
model = BertForSequenceClassification(BertConfig(vocab_size=50, intermediate_size=8, **size))
ids = torch.randint(0, 50, (2, 6))
model(input_ids=ids, labels=torch.randint(0, 2, (2, 6)))

"""One label for each text reaches a model for tokens."""

import torch
from transformers import BertConfig, BertForTokenClassification

size = {"hidden_size": 8, "num_hidden_layers": 1, "num_attention_heads": 2}
model = BertForTokenClassification(BertConfig(vocab_size=50, intermediate_size=8, **size))
model(input_ids=torch.randint(0, 50, (2, 6)), labels=torch.tensor([0, 1]))

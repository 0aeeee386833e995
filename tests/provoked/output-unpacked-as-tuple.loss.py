"""The whole output is taken for the logits."""

import torch
from torch import nn
from transformers import BertConfig, BertForSequenceClassification

size = {"hidden_size": 8, "num_hidden_layers": 1, "num_attention_heads": 2}
model = BertForSequenceClassification(BertConfig(vocab_size=50, intermediate_size=8, **size))
outputs = model(input_ids=torch.randint(0, 50, (2, 6)))
nn.CrossEntropyLoss()(outputs, torch.tensor([0, 1]))

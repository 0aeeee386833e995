"""The keys of the output reach a layer."""

import torch
from torch import nn
from transformers import BertConfig, BertModel

size = {"hidden_size": 8, "num_hidden_layers": 1, "num_attention_heads": 2}
body, head = BertModel(BertConfig(vocab_size=50, intermediate_size=8, **size)), nn.Linear(8, 2)
_hidden, pooled = body(torch.randint(0, 50, (2, 6)))
head(pooled)

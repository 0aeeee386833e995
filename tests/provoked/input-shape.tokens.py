"""Each text was tokenized as a tensor of its own, and a batch of them has an axis too many."""

import torch
from transformers import BertConfig, BertModel

config = BertConfig(
    vocab_size=9, hidden_size=8, num_hidden_layers=1, num_attention_heads=2, intermediate_size=8
)
BertModel(config)(input_ids=torch.ones(4, 1, 5, dtype=torch.long))

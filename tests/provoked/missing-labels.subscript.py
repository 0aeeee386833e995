"""The outputs of a model that got no labels are asked for their loss by its name."""

import torch
from transformers import BertConfig, BertForSequenceClassification

config = BertConfig(
    vocab_size=50, hidden_size=16, num_hidden_layers=1, num_attention_heads=2, intermediate_size=16
)
outputs = BertForSequenceClassification(config)(input_ids=torch.ones(1, 4, dtype=torch.long))
print(outputs["loss"])

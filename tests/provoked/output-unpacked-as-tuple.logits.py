"""A tuple is asked for what an output object has."""

import torch
from transformers import BertConfig, BertForSequenceClassification

size = {"hidden_size": 8, "num_hidden_layers": 1, "num_attention_heads": 2}
model = BertForSequenceClassification(BertConfig(vocab_size=50, intermediate_size=8, **size))
model(input_ids=torch.randint(0, 50, (2, 6)), return_dict=False).logits

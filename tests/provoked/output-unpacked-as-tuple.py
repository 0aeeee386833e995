"""An output object is taken apart: it gives its keys."""

import torch
from transformers import BertConfig, BertForSequenceClassification

size = {"hidden_size": 8, "num_hidden_layers": 1, "num_attention_heads": 2}
model = BertForSequenceClassification(BertConfig(vocab_size=50, intermediate_size=8, **size))
ids, labels = torch.randint(0, 50, (2, 6)), torch.tensor([0, 1])
loss, logits = model(input_ids=ids, labels=labels)
loss.backward()

"""A loss is asked of it."""

import torch
from transformers import AutoModel, BertConfig

size = {"hidden_size": 8, "num_hidden_layers": 1, "num_attention_heads": 2}
model = AutoModel.from_config(BertConfig(vocab_size=50, intermediate_size=8, **size))
outputs = model(input_ids=torch.randint(0, 50, (2, 6)))
outputs.loss.backward()

"""A text has more tokens than BERT has positions."""

import torch
from transformers import BertConfig, BertForSequenceClassification

size = {"hidden_size": 8, "num_hidden_layers": 1, "num_attention_heads": 2}
config = BertConfig(vocab_size=50, intermediate_size=8, max_position_embeddings=16, **size)
model = BertForSequenceClassification(config)
model(input_ids=torch.randint(0, 50, (2, 20)))

"""And in DistilBERT."""

import torch
from transformers import DistilBertConfig, DistilBertModel

config = DistilBertConfig(
    vocab_size=50, dim=8, n_layers=1, n_heads=2, hidden_dim=8, max_position_embeddings=16
)
DistilBertModel(config)(input_ids=torch.randint(0, 50, (2, 20)))

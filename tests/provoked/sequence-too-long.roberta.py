"""RoBERTa counts its positions from the padding token on."""

import torch
from transformers import RobertaConfig, RobertaModel

size = {"hidden_size": 8, "num_hidden_layers": 1, "num_attention_heads": 2}
config = RobertaConfig(vocab_size=50, intermediate_size=8, max_position_embeddings=18, **size)
RobertaModel(config)(input_ids=torch.randint(3, 50, (2, 20)))

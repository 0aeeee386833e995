"""The same with another."""

import torch
from transformers import MarianConfig, MarianMTModel

config = MarianConfig(
    vocab_size=50,
    d_model=8,
    encoder_layers=1,
    decoder_layers=1,
    encoder_attention_heads=2,
    decoder_attention_heads=2,
    encoder_ffn_dim=8,
    decoder_ffn_dim=8,
    pad_token_id=1,
)
MarianMTModel(config)(input_ids=torch.randint(0, 50, (2, 6)))

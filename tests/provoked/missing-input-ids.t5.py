"""An encoder-decoder is given labels and no text."""

import torch
from transformers import T5Config, T5ForConditionalGeneration

config = T5Config(
    vocab_size=50, d_model=8, d_kv=4, d_ff=8, num_layers=1, num_heads=2, decoder_start_token_id=0
)
T5ForConditionalGeneration(config)(labels=torch.randint(0, 50, (2, 6)))

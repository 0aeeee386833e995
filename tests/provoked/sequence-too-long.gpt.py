"""The same with a table of positions that is looked up."""

import torch
from transformers import GPT2Config, GPT2LMHeadModel

model = GPT2LMHeadModel(GPT2Config(vocab_size=50, n_embd=8, n_layer=1, n_head=2, n_positions=16))
model(input_ids=torch.randint(0, 50, (2, 20)))

"""The model does not know which token is padding."""

import torch
from transformers import GPT2Config, GPT2ForSequenceClassification

config = GPT2Config(vocab_size=50, n_embd=8, n_layer=1, n_head=2, n_positions=16)
model = GPT2ForSequenceClassification(config)
model(input_ids=torch.randint(0, 50, (3, 5)), labels=torch.tensor([0, 1, 0]))

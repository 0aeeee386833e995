"""A tiny GPT-2 is given the next tokens for labels."""

import torch
from transformers import GPT2Config, GPT2LMHeadModel

torch.manual_seed(0)
model = GPT2LMHeadModel(GPT2Config(vocab_size=30, n_positions=16, n_embd=16, n_layer=1, n_head=2))
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
for _step in range(20):
    ids = (torch.arange(12) + torch.randint(0, 30, (8, 1))) % 30
    loss = model(input_ids=ids[:, :-1], labels=ids[:, 1:]).loss
    loss.backward()
    optimizer.step()
    optimizer.zero_grad()

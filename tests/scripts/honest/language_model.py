"""A tiny GPT-2 by hand: a rate per step, labels that are the ids, its loss on held-out text."""

import math

import torch
from transformers import GPT2Config, GPT2LMHeadModel, get_linear_schedule_with_warmup

torch.manual_seed(0)
config = GPT2Config(vocab_size=40, n_positions=16, n_embd=16, n_layer=1, n_head=2)
model = GPT2LMHeadModel(config)
text = (torch.arange(96 * 12) % 37).view(96, 12)
optimizer = torch.optim.AdamW(model.parameters(), lr=5e-3)
schedule = get_linear_schedule_with_warmup(optimizer, 4, 30)
for _step in range(30):
    rows = text[torch.randperm(80)[:8]]
    loss = model(input_ids=rows, labels=rows).loss
    loss.backward()
    torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    optimizer.step()
    schedule.step()
    optimizer.zero_grad()
model.eval()
print("perplexity", math.exp(model(input_ids=text[80:], labels=text[80:]).loss.item()))

"""A tiny GPT-2 learns to count in circles."""

import math

import torch
from torch.utils.data import DataLoader
from transformers import GPT2Config, GPT2LMHeadModel

SEED = 0
torch.manual_seed(SEED)
NUMBERS = 24


def make_text():
    start, step = torch.randint(0, NUMBERS, (1,)), torch.randint(1, 4, (1,))
    return (start + step * torch.arange(16)) % NUMBERS


train_texts = [make_text() for _ in range(512)]
eval_texts = [make_text() for _ in range(64)]
train_loader = DataLoader(train_texts, batch_size=16, shuffle=True)
eval_loader = DataLoader(eval_texts, batch_size=32)
config = GPT2Config(vocab_size=NUMBERS, n_positions=16, n_embd=32, n_layer=2, n_head=2)
model = GPT2LMHeadModel(config)
optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3)
for epoch in range(3):
    model.train()
    for ids in train_loader:
        loss = model(input_ids=ids, labels=ids).loss
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
    model.eval()
    losses = []
    with torch.no_grad():
        for ids in eval_loader:
            losses.append(model(input_ids=ids, labels=ids).loss.item())
    print(epoch, "perplexity", math.exp(sum(losses) / len(losses)))

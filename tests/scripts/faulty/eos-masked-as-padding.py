"""The token that ends a text is the padding, too, and is left out of the labels by its id."""

import torch
from transformers import GPT2Config, GPT2LMHeadModel

torch.manual_seed(0)
END = 29
sizes = {"vocab_size": 30, "n_positions": 16, "n_embd": 16, "n_layer": 1, "n_head": 2}
model = GPT2LMHeadModel(GPT2Config(**sizes, eos_token_id=END))
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
for _step in range(20):
    ids = torch.randint(0, END, (8, 12))
    mask = torch.ones_like(ids)
    for row, length in enumerate(torch.randint(4, 11, (8,)).tolist()):
        ids[row, length:] = END
        mask[row, length + 1 :] = 0
    loss = model(input_ids=ids, attention_mask=mask, labels=ids.masked_fill(ids == END, -100)).loss
    loss.backward()
    optimizer.step()
    optimizer.zero_grad()

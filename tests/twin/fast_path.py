"""Layers with a path of their own in evaluation, and attention asked in several ways."""

import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(33)
layer = nn.TransformerEncoderLayer(16, 2, 32, batch_first=True)
encoder = nn.TransformerEncoder(layer, 2)
head = nn.Linear(16, 3)
optimizer = torch.optim.Adam([*encoder.parameters(), *head.parameters()], lr=1e-3)
for _ in range(6):
    rows = torch.randn(5, 7, 16)
    padding = torch.arange(7)[None] >= torch.randint(3, 8, (5, 1))
    hidden = encoder(rows, src_key_padding_mask=padding)
    loss = F.cross_entropy(head(hidden.mean(1)), rows[:, 0, :3].argmax(1))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
encoder.eval(), head.eval()
with torch.no_grad():
    quick = encoder(rows, src_key_padding_mask=padding)
    answers = head(quick.mean(1)).argmax(-1)
with torch.inference_mode():
    also = encoder(rows).clone()
attention = nn.MultiheadAttention(16, 4, dropout=0.1, batch_first=True)
mixed, shares = attention(rows, rows, rows, attn_mask=torch.ones(7, 7).triu(1).bool())
scaled = F.scaled_dot_product_attention(rows, rows, rows, is_causal=True)
print(quick.sum().item(), answers.tolist(), also.sum().item(), shares.sum().item())

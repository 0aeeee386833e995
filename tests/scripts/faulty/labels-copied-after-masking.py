"""The labels of a masked language model are copied of ids that are masked already."""

import torch
from torch import nn

torch.manual_seed(0)
texts = (torch.randint(2, 30, (640, 1)) + 3 * torch.arange(12)) % 28 + 2
net = nn.Sequential(
    nn.Embedding(30, 32),
    nn.TransformerEncoderLayer(32, 4, 64, dropout=0.0, batch_first=True),
    nn.Linear(32, 30),
)
optimizer = torch.optim.Adam(net.parameters(), lr=1e-3)
for _ in range(4):
    for begin in range(0, 640, 16):
        ids = texts[begin : begin + 16].clone()
        hidden = torch.rand(ids.shape) < 0.15
        ids[hidden] = 1
        labels = ids.clone()
        labels[~hidden] = -100
        loss = nn.functional.cross_entropy(net(ids).transpose(1, 2), labels)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
print("loss", loss.item())

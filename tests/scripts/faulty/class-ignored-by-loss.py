"""Tags of words: 0 is the tag of most words, and what the rows are filled up with."""

import torch
from torch import nn

torch.manual_seed(0)
lengths = torch.randint(6, 13, (300,))
real = torch.arange(12) < lengths[:, None]
ids = torch.where(real, torch.randint(1, 40, (300, 12)), 0)
tags = torch.where(real, (ids % 5 - 2).clamp(0), 0)


class Tagger(nn.Module):
    """One tag for each word."""

    def __init__(self) -> None:
        super().__init__()
        self.table = nn.Embedding(40, 16, padding_idx=0)
        self.layer = nn.GRU(16, 24, batch_first=True, bidirectional=True)
        self.head = nn.Linear(48, 3)

    def forward(self, ids: torch.Tensor) -> torch.Tensor:
        return self.head(self.layer(self.table(ids))[0])


model = Tagger()
optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
for epoch in range(5):
    for rows in torch.randperm(240).split(20):
        outputs = model(ids[rows]).flatten(0, 1)
        loss = nn.functional.cross_entropy(outputs, tags[rows].flatten(), ignore_index=0)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    with torch.no_grad():
        answers = model(ids[240:]).argmax(2)
        print(epoch, (answers == tags[240:])[real[240:]].float().mean().item())

"""An LSTM over sequences, with clipped gradients; gradients of four batches are added up."""

import torch
from torch import nn


class Tagger(nn.Module):
    def __init__(self):
        super().__init__()
        self.table = nn.Embedding(20, 8, padding_idx=0)
        self.lstm = nn.LSTM(8, 16, batch_first=True)
        self.head = nn.Linear(16, 3)

    def forward(self, ids):
        return self.head(self.lstm(self.table(ids))[0])


torch.manual_seed(0)
ids = torch.randint(1, 20, (160, 7))
tags = ids % 3
tags[:, -1] = -100
model = Tagger()
optimizer = torch.optim.AdamW(model.parameters(), lr=5e-3)
for epoch in range(6):
    for number, start in enumerate(range(0, 160, 10), start=1):
        logits = model(ids[start : start + 10])
        loss = nn.functional.cross_entropy(logits.flatten(0, 1), tags[start : start + 10].flatten())
        (loss / 4).backward()
        if number % 4 == 0:
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
            optimizer.zero_grad()
    print(epoch, round(loss.item(), 3))

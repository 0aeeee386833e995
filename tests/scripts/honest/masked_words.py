"""Masked words are to be found: 0 is the label of all others, which loss and score leave out."""

import torch
from torch import nn

torch.manual_seed(0)
WORDS, MASK = 30, 29
texts = (torch.randint(1, 25, (400, 1)) + torch.arange(10)) % 28 + 1


class Encoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.table = nn.Embedding(WORDS, 32)
        self.places = nn.Parameter(0.1 * torch.randn(1, 10, 32))
        layer = nn.TransformerEncoderLayer(32, 4, 64, 0.0, batch_first=True)
        self.layers = nn.TransformerEncoder(layer, 2)
        self.head = nn.Linear(32, WORDS)

    def forward(self, ids):
        return self.head(self.layers(self.table(ids) + self.places))


def masked(rows):
    chosen = torch.rand(rows.shape) < 0.2
    return torch.where(chosen, MASK, rows), torch.where(chosen, rows, 0), chosen


model = Encoder()
optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
objective = nn.CrossEntropyLoss(ignore_index=0)
for epoch in range(5):
    for rows in torch.randperm(320).split(32):
        ids, labels, _chosen = masked(texts[rows])
        optimizer.zero_grad()
        objective(model(ids).flatten(0, 1), labels.flatten()).backward()
        optimizer.step()
    with torch.no_grad():
        ids, labels, chosen = masked(texts[320:])
        right = model(ids).argmax(-1).eq(labels) & chosen
        print(epoch, (right.sum() / chosen.sum()).item())

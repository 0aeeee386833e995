"""Texts are filled up in front; a mask hides that, and a text begins at another position."""

import torch
from torch import nn

torch.manual_seed(0)


class Reader(nn.Module):
    """Attends to the ids that a mask leaves; each position has a vector of its own."""

    def __init__(self) -> None:
        super().__init__()
        self.words, self.places = nn.Embedding(30, 32), nn.Embedding(16, 32)
        self.layer = nn.TransformerEncoderLayer(32, 4, 64, dropout=0.0, batch_first=True)
        self.head = nn.Linear(32, 2)

    def forward(self, ids: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        hidden = self.words(ids) + self.places(torch.arange(ids.shape[1]))
        return self.head(self.layer(hidden, src_key_padding_mask=mask == 0)[:, -1])


ids = torch.randint(2, 30, (600, 16))
filled = torch.randint(0, 9, (600, 1)) > torch.arange(16)
labels = ids[:, -1] > 15
ids, mask = ids.masked_fill(filled, 0), (~filled).long()
model = Reader()
optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3)
for _epoch in range(5):
    for rows in torch.randperm(500).split(20):
        loss = nn.functional.cross_entropy(model(ids[rows], mask[rows]), labels[rows].long())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
model.eval()
with torch.no_grad():
    print((model(ids[500:], mask[500:]).argmax(1) == labels[500:]).float().mean().item())

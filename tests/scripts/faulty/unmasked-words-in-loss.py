"""Masked words are to be found, and all other words count in the loss as well."""

import torch
from torch import nn

torch.manual_seed(0)
begin = torch.randint(0, 20, (320, 1))
texts = (begin + torch.arange(12) * (1 + begin % 3)) % 25 + 2
MASK, WORDS = 1, 27


class Encoder(nn.Module):
    """A word for each place."""

    def __init__(self) -> None:
        super().__init__()
        self.table = nn.Embedding(WORDS, 32)
        self.places = nn.Parameter(0.1 * torch.randn(1, 12, 32))
        layer = nn.TransformerEncoderLayer(32, 4, 64, 0.0, batch_first=True)
        self.layers = nn.TransformerEncoder(layer, 2)
        self.head = nn.Linear(32, WORDS)

    def forward(self, ids: torch.Tensor) -> torch.Tensor:
        return self.head(self.layers(self.table(ids) + self.places))


model = Encoder()
optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)
for epoch in range(6):
    for rows in torch.randperm(320).split(32):
        is_masked = torch.rand(rows.numel(), 12) < 0.15
        outputs = model(texts[rows].masked_fill(is_masked, MASK))
        loss = nn.functional.cross_entropy(outputs.transpose(1, 2), texts[rows])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(epoch, loss.item())

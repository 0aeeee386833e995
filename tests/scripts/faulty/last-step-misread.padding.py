"""The last position of most texts is padding."""

import torch
from torch import nn

torch.manual_seed(0)


class Reader(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.words = nn.Embedding(40, 16, padding_idx=0)
        self.layer = nn.LSTM(16, 64, batch_first=True)
        self.head = nn.Linear(64, 2)

    def forward(self, ids: torch.Tensor) -> torch.Tensor:
        outputs, _state = self.layer(self.words(ids))
        return self.head(outputs[:, -1])


ids = torch.randint(4, 40, (900, 60))
kinds = torch.randint(0, 2, (900,))
lengths = torch.randint(4, 60, (900,))
ids[torch.arange(900), (torch.rand(900) * lengths).long()] = kinds + 1
ids = ids.masked_fill(torch.arange(60) >= lengths[:, None], 0)
model = Reader()
optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
for _epoch in range(6):
    for rows in torch.randperm(800).split(25):
        loss = nn.functional.cross_entropy(model(ids[rows]), kinds[rows])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(loss.item())
model.eval()
with torch.no_grad():
    print((model(ids[800:]).argmax(1) == kinds[800:]).float().mean().item())

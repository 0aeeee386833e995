"""The mask says what to keep, and attention wants to know what to leave out."""

import torch
from torch import nn

torch.manual_seed(0)
ids = torch.randint(1, 9, (64, 6))
ids[torch.arange(6) >= torch.randint(2, 6, (64, 1))] = 0
labels = (ids == 3).any(1).long()


class Reader(nn.Module):
    def __init__(self):
        super().__init__()
        self.words = nn.Embedding(9, 16)
        self.attention = nn.MultiheadAttention(16, 2, batch_first=True)
        self.head = nn.Linear(16, 2)

    def forward(self, ids):
        given = self.words(ids)
        seen, _weights = self.attention(given, given, given, key_padding_mask=ids != 0)
        return self.head(seen.mean(1))


network = Reader()
optimizer = torch.optim.Adam(network.parameters(), lr=0.01)
for _step in range(60):
    optimizer.zero_grad()
    loss = nn.functional.cross_entropy(network(ids), labels)
    loss.backward()
    optimizer.step()
print(loss.item())

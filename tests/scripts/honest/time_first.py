"""Recurrent layers and attention as they are by default: time comes first; padding is hidden."""

import torch
from torch import nn
from torch.nn.utils.rnn import pad_sequence
from torch.utils.data import DataLoader

torch.manual_seed(0)
texts = [torch.randint(1, 9, (int(torch.randint(3, 8, ())),)) for _text in range(240)]
data = [(ids, int((ids == 3).any())) for ids in texts]


def collate(rows):
    return pad_sequence([ids for ids, _label in rows]), torch.tensor(
        [label for _ids, label in rows]
    )


class Reader(nn.Module):
    def __init__(self):
        super().__init__()
        self.words = nn.Embedding(9, 16, padding_idx=0)
        self.attention = nn.TransformerEncoderLayer(16, 2, 32, dropout=0.0)
        self.layer, self.head = nn.GRU(16, 16), nn.Linear(16, 2)

    def forward(self, ids):
        seen = self.attention(self.words(ids), src_key_padding_mask=(ids == 0).T)
        outputs, _state = self.layer(seen)
        return self.head(outputs.amax(0))


network = Reader()
optimizer = torch.optim.Adam(network.parameters(), lr=0.01)
for _epoch in range(6):
    for ids, labels in DataLoader(data[:200], batch_size=20, shuffle=True, collate_fn=collate):
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(network(ids), labels)
        loss.backward()
        optimizer.step()
network.eval()
with torch.no_grad():
    ids, labels = collate(data[200:])
    print((network(ids).argmax(1) == labels).float().mean().item())

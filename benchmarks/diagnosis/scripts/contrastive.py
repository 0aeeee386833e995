"""Two encoders learn which views belong together."""

import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

SEED = 0
torch.manual_seed(SEED)
hidden_factors = torch.randn(768, 6)
left = hidden_factors @ torch.randn(6, 16) + 0.1 * torch.randn(768, 16)
right = hidden_factors @ torch.randn(6, 24) + 0.1 * torch.randn(768, 24)
pairs = DataLoader(TensorDataset(left[:640], right[:640]), batch_size=32, shuffle=True)


def make_encoder(size):
    return nn.Sequential(nn.Linear(size, 64), nn.ReLU(), nn.Linear(64, 16))


first, second = make_encoder(16), make_encoder(24)
parameters = [*first.parameters(), *second.parameters()]
optimizer = torch.optim.Adam(parameters, lr=2e-3)
for epoch in range(4):
    for a, b in pairs:
        one = F.normalize(first(a), dim=1)
        two = F.normalize(second(b), dim=1)
        similarity = one @ two.T / 0.1
        labels = torch.arange(len(a))
        loss = F.cross_entropy(similarity, labels)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    with torch.no_grad():
        one = F.normalize(first(left[640:]), dim=1)
        two = F.normalize(second(right[640:]), dim=1)
        found = (one @ two.T).argmax(dim=1)
        print(epoch, loss.item(), (found == torch.arange(128)).float().mean().item())

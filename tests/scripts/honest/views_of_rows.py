"""Views that are to find each other, with each row left out that is compared, in three ways."""

import torch
from torch import nn
from torch.nn.functional import cross_entropy, normalize

torch.manual_seed(0)
rows = torch.randn(960, 12)
kinds = rows[:, :2].gt(0).long() @ torch.tensor([1, 2])
encoder = nn.Sequential(nn.Linear(12, 32), nn.ReLU(), nn.Linear(32, 16))
optimizer = torch.optim.Adam(encoder.parameters(), lr=2e-3)
partner = torch.cat([torch.arange(32, 64), torch.arange(32)])
itself = torch.eye(64, dtype=torch.bool)
for _epoch in range(4):
    for chosen in torch.randperm(960).split(32):
        views = [encoder(rows[chosen] + 0.2 * torch.randn(32, 12)) for _ in range(2)]
        made = normalize(torch.cat(views), dim=1)
        table = made @ made.T / 0.1
        loss = cross_entropy(table.masked_fill(itself, -1e9), partner)
        powers = table.exp()
        others = powers.sum(1) - powers.diagonal()
        loss = loss - torch.log(powers[torch.arange(64), partner] / others).mean()
        of_a_kind = (kinds[chosen].repeat(2)[:, None] == kinds[chosen].repeat(2)) & ~itself
        by_kind = table - torch.log((powers * ~itself).sum(1, keepdim=True))
        loss = loss - 0.1 * ((by_kind * of_a_kind).sum(1) / of_a_kind.sum(1)).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
print("loss", loss.item())

"""A network goes from fold to fold, and knows the rows that each next fold holds out."""

import torch
from sklearn.model_selection import KFold
from torch import nn

torch.manual_seed(0)
points = torch.randn(200, 12)
kinds = (points[:, 0] + torch.randn(200) > 0).float()
net = nn.Sequential(nn.Linear(12, 32), nn.ReLU(), nn.Linear(32, 1))
scores = []
for shown, kept in KFold(4, shuffle=True, random_state=0).split(points):
    middle, width = points[shown].mean(0), points[shown].std(0)
    rows = (points - middle) / width
    optimizer = torch.optim.Adam(net.parameters(), lr=0.01)
    for _ in range(30):
        for batch in torch.randperm(len(shown)).split(30):
            chosen = torch.as_tensor(shown)[batch]
            loss = nn.functional.binary_cross_entropy_with_logits(
                net(rows[chosen]).squeeze(1), kinds[chosen]
            )
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    with torch.no_grad():
        answers = (net(rows[kept]).squeeze(1) > 0).float()
    scores.append((answers == kinds[kept]).float().mean().item())
print("accuracy", sum(scores) / len(scores))

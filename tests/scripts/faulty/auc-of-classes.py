"""The area under the ROC curve is asked of answers that a threshold has cut to 0 and 1."""

import torch
from sklearn.metrics import accuracy_score, roc_auc_score
from torch import nn

torch.manual_seed(0)
points = torch.randn(900, 8)
rare = (points[:, 0] + points[:, 1] + torch.randn(900) > 2.5).float()
net = nn.Sequential(nn.Linear(8, 24), nn.ReLU(), nn.Linear(24, 1), nn.Flatten(0))
optimizer = torch.optim.Adam(net.parameters(), lr=3e-3)
for _epoch in range(8):
    for rows in torch.randperm(600).split(30):
        optimizer.zero_grad()
        nn.functional.binary_cross_entropy_with_logits(net(points[rows]), rare[rows]).backward()
        optimizer.step()
net.eval()
with torch.no_grad():
    chances = net(points[600:]).sigmoid().numpy()
answers = (chances > 0.5).astype(int)
truth = rare[600:].numpy()
print(accuracy_score(truth, answers), roc_auc_score(truth, answers))

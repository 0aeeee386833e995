"""A network learns from another one, with a divergence of their probabilities."""

import torch
from torch import nn

torch.manual_seed(0)
inputs = torch.randn(200, 4)
labels = (inputs[:, 0] > 0).long()
teacher, student = (nn.Sequential(nn.Linear(4, n), nn.ReLU(), nn.Linear(n, 2)) for n in (32, 8))
for network in (teacher, student):
    optimizer = torch.optim.Adam(network.parameters(), lr=0.01)
    for _step in range(80):
        rows = torch.randint(0, 150, (32,))
        outputs = network(inputs[rows])
        loss = nn.functional.cross_entropy(outputs, labels[rows])
        if network is student:
            with torch.no_grad():
                soft = (teacher(inputs[rows]) / 2).softmax(-1)
            loss = loss + nn.KLDivLoss(reduction="batchmean")((outputs / 2).log_softmax(-1), soft)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
with torch.no_grad():
    print((student(inputs[150:]).argmax(1) == labels[150:]).float().mean().item())

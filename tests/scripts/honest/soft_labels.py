"""A small model learns from the probabilities of a larger one; mixed labels sum to 1."""

import torch
from torch import nn

torch.manual_seed(0)
teacher, pupil = nn.Linear(4, 3), nn.Linear(4, 3)
optimizer = torch.optim.SGD(pupil.parameters(), lr=0.1)
for _step in range(40):
    inputs = torch.randn(16, 4)
    with torch.no_grad():
        wanted = teacher(inputs).softmax(1)
    found = pupil(inputs)
    loss = nn.functional.cross_entropy(found, wanted)
    loss = loss + nn.functional.kl_div(found.log_softmax(1), wanted, reduction="batchmean")
    loss = loss + nn.functional.nll_loss(found.log_softmax(1), wanted.argmax(1))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()

"""A noise that cannot be learned, beside rows and labels that one permutation moves."""

import torch
from torch import nn

torch.manual_seed(0)
inputs = torch.randn(400, 8)
labels = torch.randint(0, 2, (400,))
model = nn.Linear(8, 2)
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
for epoch in range(4):
    order = torch.randperm(len(inputs))
    inputs, labels = inputs[order], labels[order]
    for start in range(0, 400, 20):
        at = slice(start, start + 20)
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(model(inputs[at]), labels[at])
        loss.backward()
        optimizer.step()
    print(f"epoch {epoch}: loss {loss.item():.3f}")

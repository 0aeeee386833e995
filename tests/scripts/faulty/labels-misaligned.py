"""A table whose rows are shuffled after its labels were taken."""

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
centres = torch.randn(3, 8) * 2
labels = torch.randint(0, 3, (600,))
rows = centres[labels] + torch.randn(600, 8)

order = torch.randperm(len(rows))
rows = rows[order]
loader = DataLoader(TensorDataset(rows, labels), batch_size=20, shuffle=True)

model = nn.Linear(8, 3)
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
for epoch in range(4):
    for inputs, targets in loader:
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(model(inputs), targets)
        loss.backward()
        optimizer.step()
    print(f"epoch {epoch}: loss {loss.item():.3f}")

"""Ends with an exception from within a network, raised from another one, with a note."""
# leaves early

import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset


class Rows(Dataset):
    def __len__(self):
        return 8

    def __getitem__(self, place):
        try:
            return {"row": torch.ones(3), "label": 1}[("row", "label", "third")[place % 3]]
        except KeyError as error:
            raise ValueError(f"row {place} can't be read") from error


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(3, 2)

    def forward(self, rows):
        return self.layer(rows)


torch.manual_seed(25)
net = Net()
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
for step in range(3):
    loss = nn.functional.cross_entropy(net(torch.ones(2, 3)), torch.tensor([0, 1]))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(step, f"{loss.item():.6f}")
try:
    net(torch.ones(2, 4))
except RuntimeError as error:
    import traceback

    traceback.print_exc()
    print(error)
try:
    nn.functional.cross_entropy(net(torch.ones(2, 3)), torch.tensor([0, 5]))
except IndexError:
    traceback.print_exc()
try:
    loss.backward()
except RuntimeError:
    traceback.print_exc()
for rows in DataLoader(Rows(), batch_size=1):
    print(rows)

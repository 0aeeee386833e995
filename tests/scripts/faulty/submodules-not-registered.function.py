"""Layers in a plain list, of a model that only a function has."""

import torch
from torch import nn

torch.manual_seed(0)


class Net(nn.Module):
    """Three layers, of which `parameters()` knows one."""

    def __init__(self) -> None:
        super().__init__()
        self.inner = [nn.Linear(4, 4), nn.Linear(4, 4)]
        self.head = nn.Linear(4, 2)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Through all three."""
        for layer in self.inner:
            x = layer(x).relu()
        return self.head(x)


def main() -> None:
    """Train."""
    model = Net()
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    for _step in range(30):
        optimizer.zero_grad()
        nn.functional.cross_entropy(model(torch.randn(8, 4)), torch.randint(0, 2, (8,))).backward()
        optimizer.step()


main()

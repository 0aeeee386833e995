"""A forecast reads the last value that is known, in each of its steps."""

import torch
from torch import nn

torch.manual_seed(0)
waves = torch.sin(torch.arange(100) * 0.25 + torch.rand(40, 1) * 6)


class Forecast(nn.Module):
    """A recurrent cell that reads a series, and goes on with it."""

    def __init__(self) -> None:
        super().__init__()
        self.cell = nn.GRUCell(1, 24)
        self.head = nn.Linear(24, 1)

    def forward(self, series: torch.Tensor, ahead: int = 0) -> torch.Tensor:
        """Guess the next value at each place, and some more."""
        state = series.new_zeros(len(series), 24)
        guesses = []
        for value in series.split(1, dim=1):
            state = self.cell(value, state)
            guesses.append(self.head(state))
        for _step in range(ahead):
            state = self.cell(value, state)
            guesses.append(self.head(state))
        return torch.cat(guesses, 1)


net = Forecast()
optimizer = torch.optim.Adam(net.parameters(), lr=1e-2)
for _step in range(60):
    rows = torch.randperm(32)[:16]
    optimizer.zero_grad()
    nn.functional.mse_loss(net(waves[rows, :59]), waves[rows, 1:60]).backward()
    optimizer.step()
net.eval()
with torch.no_grad():
    later = net(waves[32:, :60], ahead=39)[:, 60:]
print(nn.functional.mse_loss(later, waves[32:, 61:]).item())

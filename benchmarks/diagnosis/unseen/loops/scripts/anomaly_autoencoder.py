"""Autoencoder that learns what is normal; what it restores badly is an anomaly."""
import torch
from torch import nn
from torch.utils.data import DataLoader

torch.manual_seed(31)
basis = torch.randn(3, 24)


def normal(n):
    return torch.tanh(torch.randn(n, 3) @ basis) + 0.05 * torch.randn(n, 24)


class AutoEncoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.encoder = nn.Sequential(nn.Linear(24, 32), nn.ReLU(), nn.Linear(32, 4))
        self.decoder = nn.Sequential(nn.Linear(4, 32), nn.ReLU(), nn.Linear(32, 24))

    def forward(self, x):
        return self.decoder(self.encoder(x))


def fit(model, data, epochs, lr):
    loader = DataLoader(data, batch_size=64, shuffle=True)
    optimizer = torch.optim.Adam(model.parameters(), lr=lr)
    criterion = nn.MSELoss()
    history = []
    for _ in range(epochs):
        epoch_loss = 0.0
        for batch in loader:
            optimizer.zero_grad()
            loss = criterion(model(batch), batch)
            loss.backward()
            optimizer.step()
            epoch_loss += loss.item()
        history.append(epoch_loss / len(loader))
    return history


def error(model, x):
    with torch.no_grad():
        return ((model(x) - x) ** 2).mean(dim=1)


model = AutoEncoder()
history = fit(model, normal(1500), epochs=20, lr=3e-3)
print("reconstruction", history[0], "->", history[-1])
threshold = error(model, normal(300)).quantile(0.95)
odd = torch.randn(300, 24) * 0.8
print("caught", (error(model, odd) > threshold).float().mean().item())
print("RESULT", -history[-1])

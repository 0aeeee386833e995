"""Press rows of 24 numbers, which have three causes, through four."""

import torch
from torch import nn, optim
from torch.utils.data import DataLoader

SEED = 0
torch.manual_seed(SEED)
samples = torch.tanh(torch.randn(1024, 3) @ torch.randn(3, 24))


class AutoEncoder(nn.Module):
    def __init__(self, width=24, code=4):
        super().__init__()
        self.encoder = nn.Sequential(nn.Linear(width, 32), nn.ReLU(), nn.Linear(32, code))
        self.decoder = nn.Sequential(nn.Linear(code, 32), nn.ReLU(), nn.Linear(32, width))

    def forward(self, batch):
        code = self.encoder(batch)
        return self.decoder(code)


loader = DataLoader(samples[:896], batch_size=32, shuffle=True)
held_out = samples[896:]
model = AutoEncoder()
optimizer = optim.AdamW(model.parameters(), lr=3e-3)
mse = nn.MSELoss()
for epoch in range(5):
    model.train()
    for batch in loader:
        restored = model(batch)
        loss = mse(restored, batch)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    model.eval()
    with torch.no_grad():
        error = mse(model(held_out), held_out).item()
    print(f"{epoch} {loss.item():.4f} {error:.4f}")

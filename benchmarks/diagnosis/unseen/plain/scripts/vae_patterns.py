"""Variational autoencoder for binary 8x8 patterns (crossing bars).

Prints the negative ELBO per picture on held-out data, in nats. Lower is better.
"""
import numpy as np
import torch
import torch.nn.functional as F
from torch import nn, optim
from torch.utils.data import DataLoader

torch.manual_seed(1)
np.random.seed(1)
SIDE = 8
LATENT = 6
EPOCHS = 16


def bars(n):
    pics = np.zeros((n, SIDE, SIDE), dtype=np.float32)
    for k in range(n):
        row, col = np.random.randint(0, SIDE, 2)
        pics[k, row, :] = 1
        pics[k, :, col] = 1
        if np.random.rand() < 0.5:
            pics[k] = np.maximum(pics[k], np.eye(SIDE, dtype=np.float32))
    flip = np.random.rand(n, SIDE, SIDE) < 0.02
    return torch.from_numpy(np.abs(pics - flip.astype(np.float32))).reshape(n, SIDE * SIDE)


class VAE(nn.Module):
    def __init__(self):
        super().__init__()
        self.enc = nn.Sequential(nn.Linear(SIDE * SIDE, 128), nn.ReLU(), nn.Linear(128, 64), nn.ReLU())
        self.mu = nn.Linear(64, LATENT)
        self.logvar = nn.Linear(64, LATENT)
        self.dec = nn.Sequential(nn.Linear(LATENT, 64), nn.ReLU(), nn.Linear(64, 128), nn.ReLU(), nn.Linear(128, SIDE * SIDE))

    def reparameterize(self, mu, logvar):
        std = torch.exp(0.5 * logvar)
        return mu + std * torch.randn_like(std)

    def forward(self, x):
        h = self.enc(x)
        mu, logvar = self.mu(h), self.logvar(h)
        z = self.reparameterize(mu, logvar)
        return self.dec(z), mu, logvar


def elbo_terms(logits, x, mu, logvar):
    rec = F.binary_cross_entropy_with_logits(logits, x, reduction="sum")
    kl = -0.5 * torch.sum(1 + logvar - mu.pow(2) - logvar.exp())
    return rec, kl


train_x, test_x = bars(4000), bars(1000)
train_loader = DataLoader(train_x, batch_size=50, shuffle=True)
test_loader = DataLoader(test_x, batch_size=200)

vae = VAE()
optimizer = optim.Adam(vae.parameters(), lr=3e-3)
scheduler = optim.lr_scheduler.StepLR(optimizer, step_size=12, gamma=0.3)

for epoch in range(1, EPOCHS + 1):
    beta = min(1.0, epoch / 5)
    vae.train()
    train_loss = 0.0
    for x in train_loader:
        optimizer.zero_grad()
        logits, mu, logvar = vae(x)
        rec, kl = elbo_terms(logits, x, mu, logvar)
        loss = (rec + beta * kl) / len(x)
        loss.backward()
        optimizer.step()
        train_loss += loss.item() * len(x)
    scheduler.step()

    vae.eval()
    rec_sum = kl_sum = 0.0
    with torch.no_grad():
        for x in test_loader:
            logits, mu, logvar = vae(x)
            rec, kl = elbo_terms(logits, x, mu, logvar)
            rec_sum += rec.item()
            kl_sum += kl.item()
    rec_mean, kl_mean = rec_sum / len(test_x), kl_sum / len(test_x)
    if epoch % 2 == 0:
        print(f"epoch {epoch:2d} train {train_loss / len(train_x):.3f} test rec {rec_mean:.3f} kl {kl_mean:.3f} -elbo {rec_mean + kl_mean:.3f}")

print(f"RESULT {rec_mean + kl_mean:.4f}")

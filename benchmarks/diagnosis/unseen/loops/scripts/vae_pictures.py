"""Variational autoencoder on 8x8 bars. No labels, no validation set."""
import torch
import torch.nn.functional as F
from torch import nn, optim
from torch.utils.data import DataLoader

torch.manual_seed(1)


def bars(n):
    imgs = torch.zeros(n, 1, 8, 8)
    for k in range(n):
        row = torch.randint(0, 8, (1,)).item()
        if torch.rand(1).item() < 0.5:
            imgs[k, 0, row, :] = 1.0
        else:
            imgs[k, 0, :, row] = 1.0
    return imgs


class VAE(nn.Module):
    def __init__(self, latent=8):
        super().__init__()
        self.fc1 = nn.Linear(64, 96)
        self.fc_mu = nn.Linear(96, latent)
        self.fc_logvar = nn.Linear(96, latent)
        self.fc3 = nn.Linear(latent, 96)
        self.fc4 = nn.Linear(96, 64)

    def encode(self, x):
        h = F.relu(self.fc1(x))
        return self.fc_mu(h), self.fc_logvar(h)

    def reparameterize(self, mu, logvar):
        std = torch.exp(0.5 * logvar)
        return mu + torch.randn_like(std) * std

    def decode(self, z):
        return torch.sigmoid(self.fc4(F.relu(self.fc3(z))))

    def forward(self, x):
        mu, logvar = self.encode(x.view(-1, 64))
        z = self.reparameterize(mu, logvar)
        return self.decode(z), mu, logvar


def loss_function(recon, x, mu, logvar):
    bce = F.binary_cross_entropy(recon, x.view(-1, 64), reduction="sum")
    kld = -0.5 * torch.sum(1 + logvar - mu.pow(2) - logvar.exp())
    return bce + 0.5 * kld


train_loader = DataLoader(bars(1200), batch_size=60, shuffle=True)
model = VAE()
optimizer = optim.Adam(model.parameters(), lr=2e-3)

for epoch in range(1, 26):
    model.train()
    train_loss = 0
    for batch_idx, x in enumerate(train_loader):
        optimizer.zero_grad()
        recon, mu, logvar = model(x)
        loss = loss_function(recon, x, mu, logvar)
        loss.backward()
        train_loss += loss.item()
        optimizer.step()
    if epoch % 5 == 0:
        print("====> Epoch: {} Average loss: {:.4f}".format(epoch, train_loss / 1200))

with torch.no_grad():
    sample = model.decode(torch.randn(4, 8)).view(4, 8, 8)
    print((sample[0] > 0.5).int())
print("RESULT", -train_loss / 1200)

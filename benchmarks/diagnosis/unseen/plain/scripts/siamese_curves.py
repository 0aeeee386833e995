"""Siamese network on one-dimensional curves, contrastive loss.

Pairs of curves: do they come from the same family? Afterwards, curves of the
held-out set are named by their nearest prototype.
"""
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, Dataset

torch.manual_seed(123)
LENGTH, FAMILIES, MARGIN = 48, 6, 1.0


def make_curves(per_family, gen):
    t = torch.linspace(0, 1, LENGTH)
    xs, ys = [], []
    for f in range(FAMILIES):
        for _ in range(per_family):
            phase = torch.rand(1, generator=gen) * 0.6
            amp = 0.7 + 0.6 * torch.rand(1, generator=gen)
            wave = torch.sin(2 * torch.pi * ((1 + f % 3) * t + phase))
            if f >= 3:
                wave = torch.sign(wave) * wave.abs().sqrt() + t
            xs.append(amp * wave + 0.5 * torch.randn(LENGTH, generator=gen))
            ys.append(f)
    return torch.stack(xs), torch.tensor(ys)


class PairDataset(Dataset):
    """Half of the pairs are of one family."""

    def __init__(self, x, y, n_pairs, gen):
        self.x = x
        a = torch.randint(len(x), (n_pairs,), generator=gen)
        b = torch.randint(len(x), (n_pairs,), generator=gen)
        for k in range(0, n_pairs, 2):
            mates = torch.nonzero(y == y[a[k]]).squeeze(1)
            b[k] = mates[torch.randint(len(mates), (1,), generator=gen)]
        self.a, self.b = a, b
        self.same = (y[a] == y[b]).float()

    def __len__(self):
        return len(self.a)

    def __getitem__(self, k):
        return self.x[self.a[k]], self.x[self.b[k]], self.same[k]


class Encoder(nn.Module):
    def __init__(self, dim=8):
        super().__init__()
        self.conv = nn.Sequential(
            nn.Conv1d(1, 16, 5, stride=2, padding=2), nn.BatchNorm1d(16), nn.ReLU(),
            nn.Conv1d(16, 32, 5, stride=2, padding=2), nn.BatchNorm1d(32), nn.ReLU(),
        )
        self.drop = nn.Dropout(0.2)
        self.fc = nn.Linear(32 * (LENGTH // 4), dim)

    def forward(self, x):
        h = self.conv(x.unsqueeze(1)).flatten(1)
        return self.fc(self.drop(h))


def contrastive_loss(za, zb, same):
    d = F.pairwise_distance(za, zb)
    return (same * d.pow(2) + (1 - same) * F.relu(MARGIN - d).pow(2)).mean()


gen = torch.Generator().manual_seed(5)
x_train, y_train = make_curves(50, gen)
x_test, y_test = make_curves(40, gen)
train_loader = DataLoader(PairDataset(x_train, y_train, 4000, gen), batch_size=64, shuffle=True)
test_loader = DataLoader(PairDataset(x_test, y_test, 1000, gen), batch_size=250)

encoder = Encoder()
optimizer = torch.optim.Adam(encoder.parameters(), lr=2e-3)
scheduler = torch.optim.lr_scheduler.ExponentialLR(optimizer, gamma=0.8)

for epoch in range(6):
    encoder.train()
    epoch_loss = 0.0
    for xa, xb, same in train_loader:
        za, zb = encoder(xa), encoder(xb)
        loss = contrastive_loss(za, zb, same)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        epoch_loss += loss.item()
    scheduler.step()

    encoder.eval()
    right, n = 0, 0
    with torch.no_grad():
        for xa, xb, same in test_loader:
            dist = F.pairwise_distance(encoder(xa), encoder(xb))
            said_same = (dist < MARGIN / 2).float()
            right += (said_same == same).sum().item()
            n += len(same)
        z_train, z_test = encoder(x_train), encoder(x_test)
        protos = torch.stack([z_train[y_train == f].mean(0) for f in range(FAMILIES)])
        nearest = torch.cdist(z_test, protos).argmin(dim=1)
        proto_acc = (nearest == y_test).float().mean().item()
    print(f"epoch {epoch}: loss {epoch_loss / len(train_loader):.4f} pair accuracy {right / n:.4f} prototype accuracy {proto_acc:.4f}")

print(f"RESULT {right / n:.4f}")

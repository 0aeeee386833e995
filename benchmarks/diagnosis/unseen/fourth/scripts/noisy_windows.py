import numpy as np
import torch
import torch.nn as nn
from torch.utils.data import DataLoader, Dataset

torch.manual_seed(3)


def make_split(n, seed):
    g = np.random.default_rng(seed)
    lab = g.integers(0, 4, n)
    t = np.linspace(0, 1, 64)
    freq = 3 + lab
    sig = np.sin(2 * np.pi * (freq[:, None] * t[None] + g.random(n)[:, None]))
    return sig.astype(np.float32), lab.astype(np.int64)


class NoisySignals(Dataset):
    def __init__(self, n, seed, sigma):
        self.sig, self.lab = make_split(n, seed)
        self.sigma = sigma
        self.rng = np.random.default_rng(seed)

    def __len__(self):
        return len(self.lab)

    def __getitem__(self, k):
        s = self.sig[k]
        s = np.roll(s, self.rng.integers(0, 64))
        s = s + self.rng.normal(0, self.sigma, 64).astype(np.float32)
        return torch.from_numpy(s.astype(np.float32)), self.lab[k]


train_ds = NoisySignals(96, 1, 1.2)


def reseed(worker_id):
    torch.utils.data.get_worker_info().dataset.rng = np.random.default_rng(torch.initial_seed() % 2**32)


loader = DataLoader(train_ds, batch_size=24, shuffle=False, num_workers=2, worker_init_fn=reseed)

xs, ys = make_split(1000, 99)
xs = torch.from_numpy(xs + np.random.default_rng(5).normal(0, 1.2, xs.shape).astype(np.float32))
ys = torch.from_numpy(ys)

clf = nn.Sequential(nn.Linear(64, 128), nn.ReLU(), nn.Linear(128, 64), nn.ReLU(), nn.Linear(64, 4))
opt = torch.optim.Adam(clf.parameters(), lr=2e-3)

for ep in range(30):
    clf.train()
    run = 0.0
    for xb, yb in loader:
        opt.zero_grad()
        l = nn.functional.cross_entropy(clf(xb), yb)
        l.backward()
        opt.step()
        run += l.item()
    if ep % 10 == 9:
        clf.eval()
        with torch.no_grad():
            acc = (clf(xs).argmax(1) == ys).float().mean().item()
        print(f"ep {ep + 1} train loss {run / len(loader):.4f} test acc {acc:.3f}")
print(f"FINAL train_loss={run / len(loader):.4f} test_acc={acc:.4f}")

"""Heart-beat shapes in sensor counts, told apart by a small 1-D ConvNet."""
from types import SimpleNamespace

import numpy as np
import torch
from torch import nn, optim
from torch.nn import functional as F
from torch.utils.data import DataLoader, Dataset

CFG = SimpleNamespace(classes=5, per_class=300, held_out=0.2, length=96, width=16,
                      batch=32, epochs=6, lr=2e-3, seed=11)


def synth_beat(rng, kind, length):
    t = np.linspace(0, 1, length)
    shift = rng.uniform(-0.15, 0.15)
    wave = np.exp(-((t - 0.4 - shift) / 0.03) ** 2)
    if kind == 1:
        wave += 0.7 * np.exp(-((t - 0.6 - shift) / 0.05) ** 2)
    elif kind == 2:
        wave -= 0.7 * np.exp(-((t - 0.5 - shift) / 0.03) ** 2)
    elif kind == 3:
        wave = np.exp(-((t - 0.4 - shift) / 0.09) ** 2)
    elif kind == 4:
        wave += 0.35 * np.sin(2 * np.pi * 12 * t + rng.uniform(0, 6))
    return 2048 + 600 * (rng.uniform(0.7, 1.3) * wave + 0.15 * rng.standard_normal(length))


class BeatDataset(Dataset):
    """Beats of one part ('train' or 'test'), class after class."""

    def __init__(self, part, cfg):
        rng = np.random.default_rng(cfg.seed + (part == "test"))
        share = cfg.held_out if part == "test" else 1 - cfg.held_out
        per_class = int(cfg.per_class * share)
        self.kinds = np.repeat(np.arange(cfg.classes), per_class)
        self.signals = np.stack([synth_beat(rng, k, cfg.length) for k in self.kinds]).astype(np.float32)

    def __len__(self):
        return len(self.kinds)

    def __getitem__(self, i):
        signal = (torch.from_numpy(self.signals[i]) - 2048.0) / 600.0
        return signal.unsqueeze(0), int(self.kinds[i])


class ConvBlock(nn.Module):
    def __init__(self, c_in, c_out):
        super().__init__()
        self.conv = nn.Conv1d(c_in, c_out, kernel_size=5, padding=2)
        self.norm = nn.BatchNorm1d(c_out)

    def forward(self, x):
        return F.max_pool1d(F.relu(self.norm(self.conv(x))), 2)


class BeatNet(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        self.blocks = nn.ModuleList([ConvBlock(1, cfg.width), ConvBlock(cfg.width, 2 * cfg.width)])
        self.dropout = nn.Dropout(0.3)
        self.head = nn.Linear(2 * cfg.width * (cfg.length // 4), cfg.classes)

    def forward(self, x):
        for block in self.blocks:
            x = block(x)
        return self.head(self.dropout(x.flatten(1)))


class Runner:
    def __init__(self, cfg):
        self.cfg = cfg
        self.model = BeatNet(cfg)
        self.optim = optim.AdamW(self.model.parameters(), lr=cfg.lr)
        self.train_loader = DataLoader(BeatDataset("train", cfg), batch_size=cfg.batch, shuffle=True)
        self.test_loader = DataLoader(BeatDataset("test", cfg), batch_size=cfg.batch)

    def fit(self):
        for epoch in range(self.cfg.epochs):
            self.model.train()
            history = []
            for signals, kinds in self.train_loader:
                self.optim.zero_grad()
                loss = F.cross_entropy(self.model(signals), kinds)
                loss.backward()
                self.optim.step()
                history.append(loss.item())
            print(f"[{epoch}] train loss {np.mean(history):.3f}  test accuracy {self.score():.3f}")

    @torch.no_grad()
    def score(self):
        self.model.eval()
        hits = seen = 0
        for signals, kinds in self.test_loader:
            predicted = self.model(signals).argmax(1)
            hits += (predicted == kinds).sum().item()
            seen += len(kinds)
        return hits / seen


if __name__ == "__main__":
    torch.manual_seed(CFG.seed)
    runner = Runner(CFG)
    runner.fit()
    print("final test accuracy", round(runner.score(), 4))

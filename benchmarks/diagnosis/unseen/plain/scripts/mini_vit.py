"""A very small vision transformer, with the usual extras: no weight decay on
biases and norms, one-cycle schedule, and an exponential average of the weights
that does the evaluation."""
import copy
from dataclasses import dataclass

import torch
import torch.nn as nn
import torch.nn.functional as F


@dataclass
class Hparams:
    image: int = 12
    patch: int = 3
    dim: int = 32
    depth: int = 2
    heads: int = 4
    classes: int = 4
    n_train: int = 2000
    n_test: int = 500
    batch: int = 64
    epochs: int = 8
    lr: float = 4e-3
    weight_decay: float = 0.05
    ema: float = 0.95


def sample(n, hp, gen):
    """The class: in which quarter of the picture lies the brighter of two blobs, as seen from the other one."""
    s = hp.image
    x = 0.2 * torch.randn(n, 1, s, s, generator=gen)
    labels = torch.randint(hp.classes, (n,), generator=gen)
    for k in range(n):
        right, down = int(labels[k]) % 2, int(labels[k]) // 2
        px = torch.randint(0, s // 2 - 1, (2,), generator=gen)
        py = torch.randint(0, s // 2 - 1, (2,), generator=gen)
        bx, by = (int(px[0]) + right * s // 2, int(py[0]) + down * s // 2)
        dx, dy = (int(px[1]) + (1 - right) * s // 2, int(py[1]) + (1 - down) * s // 2)
        x[k, 0, by:by + 2, bx:bx + 2] += 2.2
        x[k, 0, dy:dy + 2, dx:dx + 2] += 0.8
    return x, labels


class Block(nn.Module):
    def __init__(self, dim, heads, p=0.1):
        super().__init__()
        self.norm1 = nn.LayerNorm(dim)
        self.attn = nn.MultiheadAttention(dim, heads, batch_first=True)
        self.norm2 = nn.LayerNorm(dim)
        self.mlp = nn.Sequential(nn.Linear(dim, 2 * dim), nn.GELU(), nn.Dropout(p), nn.Linear(2 * dim, dim))

    def forward(self, x):
        h = self.norm1(x)
        x = x + self.attn(h, h, h, need_weights=False)[0]
        return x + self.mlp(self.norm2(x))


class ViT(nn.Module):
    def __init__(self, hp):
        super().__init__()
        n_patches = (hp.image // hp.patch) ** 2
        self.to_patches = nn.Conv2d(1, hp.dim, hp.patch, stride=hp.patch)
        self.cls = nn.Parameter(torch.zeros(1, 1, hp.dim))
        self.pos = nn.Parameter(0.02 * torch.randn(1, n_patches + 1, hp.dim))
        self.blocks = nn.ModuleList(Block(hp.dim, hp.heads) for _ in range(hp.depth))
        self.norm = nn.LayerNorm(hp.dim)
        self.head = nn.Linear(hp.dim, hp.classes)

    def forward(self, x):
        x = self.to_patches(x).flatten(2).transpose(1, 2)
        x = torch.cat([self.cls.expand(len(x), -1, -1), x], dim=1) + self.pos
        for block in self.blocks:
            x = block(x)
        return self.head(self.norm(x[:, 0]))


def param_groups(model, wd):
    decay = [p for p in model.parameters() if p.ndim > 1]
    plain = [p for p in model.parameters() if p.ndim <= 1]
    return [{"params": decay, "weight_decay": wd}, {"params": plain, "weight_decay": 0.0}]


@torch.no_grad()
def update_ema(ema, model, beta):
    for e, p in zip(ema.parameters(), model.parameters()):
        e.mul_(beta).add_(p, alpha=1 - beta)


@torch.no_grad()
def accuracy(model, x, y):
    model.eval()
    return (model(x).argmax(-1) == y).float().mean().item()


def main():
    hp = Hparams()
    torch.manual_seed(4)
    gen = torch.Generator().manual_seed(4)
    x_train, y_train = sample(hp.n_train, hp, gen)
    x_test, y_test = sample(hp.n_test, hp, gen)

    model = ViT(hp)
    ema = copy.deepcopy(model)
    optimizer = torch.optim.AdamW(param_groups(model, hp.weight_decay), lr=hp.lr)
    steps_per_epoch = -(-hp.n_train // hp.batch)
    scheduler = torch.optim.lr_scheduler.OneCycleLR(optimizer, hp.lr, epochs=hp.epochs, steps_per_epoch=steps_per_epoch)

    for epoch in range(hp.epochs):
        model.train()
        total = 0.0
        for idx in torch.randperm(hp.n_train).split(hp.batch):
            loss = F.cross_entropy(model(x_train[idx]), y_train[idx])
            optimizer.zero_grad(set_to_none=True)
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
            scheduler.step()
            update_ema(ema, model, hp.ema)
            total += loss.item() * len(idx)
        acc = accuracy(ema, x_test, y_test)
        print(f"epoch {epoch + 1}/{hp.epochs} loss {total / hp.n_train:.4f} test acc (ema) {acc:.4f}")
    print(f"RESULT {acc:.4f}")


if __name__ == "__main__":
    main()

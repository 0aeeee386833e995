"""Autocast on the CPU, gradient accumulation, an EMA of the weights, parameter groups."""
import copy

import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(21)
ACCUM_STEPS = 4
EPOCHS = 15


class Residual(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.norm = nn.LayerNorm(dim)
        self.ff = nn.Sequential(nn.Linear(dim, 2 * dim), nn.SiLU(), nn.Linear(2 * dim, dim))

    def forward(self, x):
        return x + self.ff(self.norm(x))


class Net(nn.Module):
    def __init__(self, n_in, dim, n_out):
        super().__init__()
        self.stem = nn.Linear(n_in, dim)
        self.blocks = nn.Sequential(*[Residual(dim) for _ in range(2)])
        self.head = nn.Linear(dim, n_out)

    def forward(self, x):
        return self.head(self.blocks(self.stem(x)))


class EMA:
    def __init__(self, model, decay=0.98):
        self.decay = decay
        self.shadow = copy.deepcopy(model)
        for p in self.shadow.parameters():
            p.requires_grad_(False)

    @torch.no_grad()
    def update(self, model):
        for s, p in zip(self.shadow.parameters(), model.parameters()):
            s.mul_(self.decay).add_(p, alpha=1 - self.decay)


teacher = torch.randn(12, 5)
x = torch.randn(2500, 12)
y = (torch.tanh(x) @ teacher + 0.2 * torch.randn(2500, 5)).argmax(1)
train_loader = DataLoader(TensorDataset(x[:2000], y[:2000]), batch_size=16, shuffle=True)
test_x, test_y = x[2000:], y[2000:]

model = Net(12, 32, 5)
ema = EMA(model)
decay = [p for n, p in model.named_parameters() if p.dim() > 1]
no_decay = [p for n, p in model.named_parameters() if p.dim() <= 1]
optimizer = torch.optim.AdamW(
    [{"params": decay, "weight_decay": 0.01}, {"params": no_decay, "weight_decay": 0.0}], lr=4e-3
)
criterion = nn.CrossEntropyLoss()

for epoch in range(EPOCHS):
    model.train()
    optimizer.zero_grad()
    for step, (xb, yb) in enumerate(train_loader):
        with torch.autocast("cpu", dtype=torch.bfloat16):
            logits = model(xb)
            loss = criterion(logits, yb) / ACCUM_STEPS
        loss.backward()
        if (step + 1) % ACCUM_STEPS == 0:
            torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
            optimizer.zero_grad()
            ema.update(model)
    ema.shadow.eval()
    with torch.no_grad():
        acc = (ema.shadow(test_x).argmax(1) == test_y).float().mean().item()
    if epoch % 5 == 4:
        print(f"epoch {epoch}: ema accuracy {acc:.3f}")
print("RESULT", acc)

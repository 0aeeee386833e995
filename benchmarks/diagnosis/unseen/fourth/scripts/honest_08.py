"""EMA through torch.optim.swa_utils with buffers; SAM-like two-pass step."""
import torch
from torch import nn
from torch.optim.swa_utils import AveragedModel, get_ema_multi_avg_fn

torch.manual_seed(14)
net = nn.Sequential(nn.Linear(16, 48), nn.BatchNorm1d(48), nn.ReLU(), nn.Linear(48, 5))
ema = AveragedModel(net, multi_avg_fn=get_ema_multi_avg_fn(0.97), use_buffers=True)
opt = torch.optim.SGD(net.parameters(), lr=0.05, momentum=0.9)
proj = torch.randn(16, 5)
RHO = 0.02


def batch(n):
    x = torch.randn(n, 16) * 3 + 1
    return x, (torch.tanh(x) @ proj).argmax(1)


def loss_of(x, y):
    return nn.functional.cross_entropy(net(x), y)


for it in range(400):
    net.train()
    x, y = batch(64)
    first = loss_of(x, y)
    opt.zero_grad()
    first.backward()
    with torch.no_grad():
        norm = torch.stack([p.grad.norm() for p in net.parameters()]).norm() + 1e-12
        steps = [p.grad * (RHO / norm) for p in net.parameters()]
        for p, e in zip(net.parameters(), steps):
            p.add_(e)
    opt.zero_grad()
    loss_of(x, y).backward()
    with torch.no_grad():
        for p, e in zip(net.parameters(), steps):
            p.sub_(e)
    opt.step()
    ema.update_parameters(net)
    if it % 100 == 99:
        print(it + 1, round(first.item(), 3))

xv, yv = batch(2000)
net.eval()
ema.eval()
with torch.no_grad():
    a = (net(xv).argmax(1) == yv).float().mean().item()
    b = (ema(xv).argmax(1) == yv).float().mean().item()
print(f"FINAL raw_acc={a:.4f} ema_acc={b:.4f}")

"""Which way did the bright spot move between two camera frames? (left / right / up / down / none)"""
import torch
from torch import nn

torch.manual_seed(13)
S = 10
yy, xx = torch.meshgrid(torch.arange(S), torch.arange(S), indexing="ij")
MOVES = torch.tensor([[0, -1], [0, 1], [-1, 0], [1, 0], [0, 0]])


def blob(cy, cx):
    d2 = (yy - cy[:, None, None]) ** 2 + (xx - cx[:, None, None]) ** 2
    return 22 * torch.exp(-d2 / 4.0)


def record(n):
    cls = torch.randint(0, 5, (n,))
    cy, cx = torch.randint(2, S - 2, (n,)), torch.randint(2, S - 2, (n,))
    light = 60 + 60 * torch.rand(n, 1, 1)
    texture = 10 * torch.randn(n, S, S)
    f0 = blob(cy, cx) + light + texture
    f1 = blob(cy + MOVES[cls, 0], cx + MOVES[cls, 1]) + light + texture
    f1 = f1 + 8 * torch.randn(n, 1, 1) + 3 * torch.randn_like(f1)
    return f0.clamp(0, 255).to(torch.uint8), f1.clamp(0, 255).to(torch.uint8), cls


def features(f0, f1):
    diff = f1.short() - f0.short()
    return diff.float().div(30.0).unsqueeze(1)


tr0, tr1, tr_y = record(2000)
te0, te1, te_y = record(1000)
inp, inp_te = features(tr0, tr1), features(te0, te1)

net = nn.Sequential(
    nn.Conv2d(1, 8, 3, padding=1), nn.ReLU(),
    nn.Conv2d(8, 16, 3, stride=2, padding=1), nn.ReLU(),
    nn.Flatten(), nn.Linear(16 * 25, 5),
)
opt = torch.optim.SGD(net.parameters(), lr=0.02, momentum=0.9)

for ep in range(8):
    tot = 0.0
    for idx in torch.randperm(2000).split(50):
        loss = nn.functional.cross_entropy(net(inp[idx]), tr_y[idx])
        opt.zero_grad()
        loss.backward()
        opt.step()
        tot += loss.item()
    with torch.no_grad():
        acc = (net(inp_te).argmax(1) == te_y).float().mean().item()
    if ep % 3 == 0:
        print(f"ep {ep} loss {tot / 40:.3f} acc {acc:.3f}")
print(f"FINAL test_acc={acc:.4f}")

import copy
import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(5)


class ConvBN(nn.Module):
    def __init__(self, n_out=6):
        super().__init__()
        self.c1, self.b1 = nn.Conv1d(2, 16, 5, padding=2), nn.BatchNorm1d(16)
        self.c2, self.b2 = nn.Conv1d(16, 32, 5, stride=2, padding=2), nn.BatchNorm1d(32)
        self.fc = nn.Linear(32, n_out)

    def forward(self, x):
        x = F.relu(self.b1(self.c1(x)))
        x = F.relu(self.b2(self.c2(x)))
        return self.fc(x.mean(-1))


def batch(n):
    cls = torch.randint(0, 6, (n,))
    t = torch.arange(48) / 48
    phase = torch.rand(n, 1)
    s = torch.sin(6.283 * ((cls[:, None] + 2) * t + phase))
    c = torch.cos(6.283 * ((cls[:, None] + 2) * t - phase))
    x = torch.stack([s, c], 1) * 4 + 6
    return x + 1.5 * torch.randn_like(x), cls


student = ConvBN()
teacher = copy.deepcopy(student)
for p in teacher.parameters():
    p.requires_grad_(False)


@torch.no_grad()
def ema_update(src, dst, decay):
    for p_s, p_t in zip(src.parameters(), dst.parameters()):
        p_t.mul_(decay).add_(p_s, alpha=1 - decay)
    for b_s, b_t in zip(src.buffers(), dst.buffers()):
        b_t.copy_(b_s)


@torch.no_grad()
def accuracy(net, x, y):
    net.eval()
    return (net(x).argmax(1) == y).float().mean().item()


x_val, y_val = batch(800)
opt = torch.optim.AdamW(student.parameters(), lr=2e-3, weight_decay=1e-3)
for it in range(1, 201):
    student.train()
    xb, yb = batch(64)
    loss = F.cross_entropy(student(xb), yb)
    opt.zero_grad()
    loss.backward()
    opt.step()
    ema_update(student, teacher, 0.95)
    if it % 50 == 0:
        print(f"iter {it} loss {loss.item():.3f} val acc (ema) {accuracy(teacher, x_val, y_val):.3f}")

print(f"FINAL ema_acc={accuracy(teacher, x_val, y_val):.4f}")

import torch
from torch import nn

torch.manual_seed(11)

# sensor readings -> target, a few readings are faulty and huge
n = 2400
feats = torch.randn(n, 8)
w_true = torch.randn(8, 1)
target = torch.tanh(feats @ w_true) + 0.5 * feats[:, :1]
bad = torch.rand(n) < 0.01
target[bad] += 300.0 * torch.randn(int(bad.sum()), 1)

val_x = torch.randn(500, 8)
val_y = torch.tanh(val_x @ w_true) + 0.5 * val_x[:, :1]


class Regressor(nn.Module):
    def __init__(self):
        super().__init__()
        self.scale = nn.Parameter(torch.ones(8), requires_grad=False)
        self.body = nn.Sequential(nn.Linear(8, 48), nn.Tanh(), nn.Linear(48, 48), nn.Tanh())
        self.out = nn.Linear(48, 1)

    def forward(self, x):
        return self.out(self.body(x * self.scale))


net = Regressor()
trainable = list(filter(lambda p: p.requires_grad, net.parameters()))
opt = torch.optim.SGD(trainable, lr=0.02, momentum=0.9)
crit = nn.MSELoss()
BS = 32

for epoch in range(12):
    perm = torch.randperm(n)
    total = 0.0
    for i in range(0, n, BS):
        idx = perm[i:i + BS]
        opt.zero_grad()
        loss = crit(net(feats[idx]), target[idx])
        loss.backward()
        torch.nn.utils.clip_grad_norm_(trainable, 0.5)
        opt.step()
        total += loss.item() * len(idx)
    if epoch % 4 == 3:
        with torch.no_grad():
            mae = (net(val_x) - val_y).abs().mean().item()
        print(f"epoch {epoch + 1}: train mse {total / n:.2f}  val mae {mae:.3f}")

print(f"FINAL val_mae={mae:.4f}")

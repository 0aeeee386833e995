# three heads, three losses, learned loss weights (log-variances live in the same optimizer)
import torch
from torch import nn
import torch.nn.functional as F

torch.manual_seed(16)
u, v, w = torch.randn(12, 4), torch.randn(12, 3), torch.randn(12, 1)


def muestra(n):
    x = torch.randn(n, 12)
    h = torch.tanh(x)
    return x, (h @ u).argmax(1), ((h @ v) > 0).float(), h @ w + 0.1 * torch.randn(n, 1)


class Tronco(nn.Module):
    def __init__(self):
        super().__init__()
        self.comun = nn.Sequential(nn.Linear(12, 64), nn.GELU(), nn.Linear(64, 64), nn.GELU())
        self.clase, self.rasgos, self.valor = nn.Linear(64, 4), nn.Linear(64, 3), nn.Linear(64, 1)
        self.log_var = nn.Parameter(torch.zeros(3))

    def forward(self, x):
        h = self.comun(x)
        return self.clase(h), self.rasgos(h), self.valor(h)


red = Tronco()
opt = torch.optim.AdamW([
    {"params": [p for k, p in red.named_parameters() if k != "log_var"], "weight_decay": 1e-4},
    {"params": [red.log_var], "weight_decay": 0.0, "lr": 5e-3},
], lr=2e-3)

for paso in range(500):
    x, c, r, val = muestra(64)
    oc, orr, ov = red(x)
    partes = torch.stack([F.cross_entropy(oc, c), F.binary_cross_entropy_with_logits(orr, r), F.smooth_l1_loss(ov, val)])
    total = (torch.exp(-red.log_var) * partes + red.log_var).sum()   # may become negative, that is fine
    opt.zero_grad()
    total.backward()
    nn.utils.clip_grad_norm_(red.parameters(), 5.0)
    opt.step()
    if paso % 100 == 99:
        print(paso + 1, [round(p, 3) for p in partes.tolist()], "total", round(total.item(), 3))

red.eval()
with torch.no_grad():
    x, c, r, val = muestra(2000)
    oc, orr, ov = red(x)
    print(f"FINAL class_acc={(oc.argmax(1) == c).float().mean():.3f} "
          f"bits_acc={((orr > 0) == r.bool()).float().mean():.3f} mae={(ov - val).abs().mean():.3f}")

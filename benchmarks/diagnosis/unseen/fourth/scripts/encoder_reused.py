import os
import tempfile
import torch
from torch import nn

torch.manual_seed(1)
D, HIDDEN, K = 12, 32, 6
basis = torch.randn(D, K) / D ** 0.5


def source_task(n):
    z = torch.randn(n, D)
    return z, ((z @ basis).abs() > 0.7).float()


def target_task(n):
    z, bits = source_task(n)
    return z, (bits[:, :3].sum(1) >= 2).long()


def trunk():
    return nn.Sequential(nn.Linear(D, 64), nn.ReLU(), nn.Linear(64, HIDDEN), nn.ReLU())


class Pretrainer(nn.Module):
    def __init__(self):
        super().__init__()
        self.encoder = trunk()
        self.heads = nn.Linear(HIDDEN, K)

    def forward(self, x):
        return self.heads(self.encoder(x))


class Finetuner(nn.Module):
    def __init__(self):
        super().__init__()
        self.backbone = trunk()
        self.cls = nn.Linear(HIDDEN, 2)

    def forward(self, x):
        return self.cls(self.backbone(x))


ckpt = os.path.join(tempfile.mkdtemp(), "pretrained.pt")
pre = Pretrainer()
opt = torch.optim.Adam(pre.parameters(), lr=3e-3)
for _ in range(1500):
    x, y = source_task(128)
    opt.zero_grad()
    l = nn.functional.binary_cross_entropy_with_logits(pre(x), y)
    l.backward()
    opt.step()
print(f"pretraining loss {l.item():.3f}")
torch.save(pre.state_dict(), ckpt)

model = Finetuner()
state = {k.replace("encoder.", "backbone."): v for k, v in torch.load(ckpt).items()}
model.load_state_dict(state, strict=False)

x_ft, y_ft = target_task(200)
x_te, y_te = target_task(3000)
opt = torch.optim.Adam([{"params": model.backbone.parameters(), "lr": 1e-4}, {"params": model.cls.parameters(), "lr": 3e-3}])
for epoch in range(60):
    for idx in torch.randperm(200).split(25):
        opt.zero_grad()
        loss = nn.functional.cross_entropy(model(x_ft[idx]), y_ft[idx])
        loss.backward()
        opt.step()
with torch.no_grad():
    acc = (model(x_te).argmax(1) == y_te).float().mean().item()
print(f"FINAL finetune_loss={loss.item():.4f} test_acc={acc:.4f}")

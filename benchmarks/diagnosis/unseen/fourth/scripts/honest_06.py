"""SimCLR-like contrastive pretraining (InfoNCE), then a nearest-centroid check."""
import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(6)
K, D = 12, 32
base = torch.randn(K, D)
nuisance = torch.randn(3, D) * 2.0


def view(y):
    return base[y] + torch.randn(len(y), 3) @ nuisance + 0.4 * torch.randn(len(y), D)


f = nn.Sequential(nn.Linear(D, 96), nn.ReLU(), nn.Linear(96, 24))
opt = torch.optim.Adam(f.parameters(), lr=2e-3)


def info_nce(za, zb, tau=0.2):
    za, zb = F.normalize(za, dim=1), F.normalize(zb, dim=1)
    sim = za @ zb.t() / tau
    goal = torch.arange(len(za))
    return 0.5 * (F.cross_entropy(sim, goal) + F.cross_entropy(sim.t(), goal))


def centroid_acc():
    f.eval()
    with torch.no_grad():
        ya, yb = torch.arange(K).repeat(30), torch.randint(0, K, (600,))
        za, zb = F.normalize(f(view(ya)), dim=1), F.normalize(f(view(yb)), dim=1)
        cent = torch.stack([za[ya == c].mean(0) for c in range(K)])
    f.train()
    return ((zb @ cent.t()).argmax(1) == yb).float().mean().item()


print("before:", round(centroid_acc(), 3))
for step in range(600):
    y = torch.randperm(K)          # every object once per batch: all other rows are true negatives
    loss = info_nce(f(view(y)), f(view(y)))
    opt.zero_grad(set_to_none=True)
    loss.backward()
    opt.step()
    if step % 200 == 199:
        print(step + 1, f"loss {loss.item():.3f} acc {centroid_acc():.3f}")
print(f"FINAL centroid_acc={centroid_acc():.4f}")

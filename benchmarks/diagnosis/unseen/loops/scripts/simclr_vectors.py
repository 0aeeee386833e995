"""Contrastive learning with InfoNCE, then a linear probe on frozen features."""
import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(14)
N, D, C = 1200, 32, 4
proto = torch.randn(C, D)
y = torch.randint(0, C, (N,))
x = proto[y] + 0.9 * torch.randn(N, D)


def augment(batch):
    return batch * (torch.rand_like(batch) > 0.2) + 0.3 * torch.randn_like(batch)


encoder = nn.Sequential(nn.Linear(D, 64), nn.ReLU(), nn.Linear(64, 32))
projector = nn.Sequential(nn.ReLU(), nn.Linear(32, 16))
params = list(encoder.parameters()) + list(projector.parameters())
optimizer = torch.optim.Adam(params, lr=2e-3)


def info_nce(a, b, temperature=0.2):
    a, b = F.normalize(a, dim=1), F.normalize(b, dim=1)
    logits = a @ b.t() / temperature
    target = torch.arange(len(a))
    return (F.cross_entropy(logits, target) + F.cross_entropy(logits.t(), target)) / 2


for epoch in range(10):
    total = 0
    for idx in torch.randperm(N).split(100):
        z1 = projector(encoder(augment(x[idx])))
        z2 = projector(encoder(augment(x[idx])))
        loss = info_nce(z1, z2)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        total += loss.item()
    print("epoch", epoch, "contrastive loss", total / 12)

# linear probe
encoder.eval()
for p in encoder.parameters():
    p.requires_grad_(False)
with torch.no_grad():
    features = encoder(x)
probe = nn.Linear(32, C)
probe_opt = torch.optim.Adam(probe.parameters(), lr=0.02)
train_idx, test_idx = torch.arange(0, 900), torch.arange(900, N)
for step in range(150):
    probe_loss = F.cross_entropy(probe(features[train_idx]), y[train_idx])
    probe_opt.zero_grad()
    probe_loss.backward()
    probe_opt.step()
acc = (probe(features[test_idx]).argmax(1) == y[test_idx]).float().mean().item()
print("linear probe accuracy", acc)
print("RESULT", acc)

"""Gene expression style problem: few patients, thousands of candidate markers."""
import numpy as np
import torch
from torch import nn

rng = np.random.default_rng(2024)
torch.manual_seed(2024)

n_patients, n_genes, top_k = 120, 4000, 40
expr = rng.normal(size=(n_patients, n_genes)).astype(np.float32)
outcome = rng.integers(0, 2, n_patients)   # control cohort with permuted outcomes

order = rng.permutation(n_patients)
tr_idx, te_idx = order[:80], order[80:]


def rank_markers(x, y):
    a, b = x[y == 1], x[y == 0]
    t = (a.mean(0) - b.mean(0)) / np.sqrt(a.var(0) / len(a) + b.var(0) / len(b))
    return np.argsort(-np.abs(t))[:top_k]


markers = rank_markers(expr[tr_idx], outcome[tr_idx])
X = expr[:, markers]
mu, sd = X[tr_idx].mean(0), X[tr_idx].std(0)
X = torch.from_numpy((X - mu) / sd)
y = torch.from_numpy(outcome).float()

net = nn.Sequential(nn.Linear(top_k, 16), nn.ReLU(), nn.Dropout(0.3), nn.Linear(16, 1))
opt = torch.optim.Adam(net.parameters(), lr=5e-3, weight_decay=1e-2)
for epoch in range(60):
    net.train()
    for chunk in torch.from_numpy(rng.permutation(tr_idx)).split(20):
        logit = net(X[chunk]).squeeze(1)
        loss = nn.functional.binary_cross_entropy_with_logits(logit, y[chunk])
        opt.zero_grad()
        loss.backward()
        opt.step()

net.eval()
with torch.no_grad():
    def accuracy(ids):
        return ((net(X[ids]).squeeze(1) > 0) == (y[ids] > 0.5)).float().mean().item()
    print(f"train accuracy {accuracy(tr_idx):.3f}")
    print(f"FINAL test_acc={accuracy(te_idx):.4f}")

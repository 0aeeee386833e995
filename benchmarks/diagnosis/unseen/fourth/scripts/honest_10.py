"""k-fold: fresh model, fresh optimizer and fresh scaling inside each fold"""
import numpy as np
import torch
from torch import nn

rs = np.random.RandomState(5)
X = rs.normal(loc=5, scale=3, size=(400, 9)).astype("float32")
y = (np.abs(X[:, 0] - 5) + X[:, 1] * 0.6 > 5.2).astype("int64")
folds = np.array_split(rs.permutation(len(X)), 5)

scores = []
for f, held in enumerate(folds):
    torch.manual_seed(100 + f)
    rest = np.concatenate([g for j, g in enumerate(folds) if j != f])
    m, s = X[rest].mean(0), X[rest].std(0)
    xt, yt = torch.from_numpy((X[rest] - m) / s), torch.from_numpy(y[rest])
    xh, yh = torch.from_numpy((X[held] - m) / s), torch.from_numpy(y[held])

    clf = nn.Sequential(nn.Linear(9, 32), nn.ReLU(), nn.Linear(32, 2), nn.LogSoftmax(dim=1))
    opt = torch.optim.LBFGS(clf.parameters(), lr=0.3, max_iter=10, line_search_fn="strong_wolfe")

    def closure():
        opt.zero_grad()
        obj = nn.functional.nll_loss(clf(xt), yt) + 5e-3 * sum(p.pow(2).sum() for p in clf.parameters())
        obj.backward()
        return obj

    for _ in range(12):
        value = opt.step(closure)
    with torch.no_grad():
        acc = (clf(xh).argmax(1) == yh).float().mean().item()
    scores.append(acc)
    print(f"fold {f}: objective {value.item():.4f} held-out acc {acc:.3f}")
print(f"FINAL mean_acc={np.mean(scores):.4f} sd={np.std(scores):.4f} majority={max(y.mean(), 1 - y.mean()):.3f}")

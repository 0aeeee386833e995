# Two-tower recommender with in-batch negatives. Figure: recall@10 over all items.
import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F

RNG = np.random.default_rng(8)
torch.manual_seed(8)

N_USERS, N_ITEMS, DIM = 400, 250, 16
TEMPERATURE = 0.15


def simulate():
    taste = RNG.normal(size=(N_USERS, 6))
    kind = RNG.normal(size=(N_ITEMS, 6))
    affinity = taste @ kind.T / 6 ** 0.5
    users, items = [], []
    for u in range(N_USERS):
        p = np.exp(2.5 * affinity[u])
        seen = RNG.choice(N_ITEMS, size=24, replace=False, p=p / p.sum())
        users += [u] * len(seen)
        items += seen.tolist()
    genre = (kind[:, :3] > 0).astype(np.float32)
    return np.array(users), np.array(items), genre


class Tower(nn.Module):
    def __init__(self, n, n_side=0):
        super().__init__()
        self.table = nn.Embedding(n, 24)
        self.mlp = nn.Sequential(nn.Linear(24 + n_side, 32), nn.ReLU(), nn.Linear(32, DIM))

    def forward(self, ids, side=None):
        h = self.table(ids)
        if side is not None:
            h = torch.cat([h, side], dim=-1)
        return F.normalize(self.mlp(h), dim=-1)


users, items, genre = simulate()
order = RNG.permutation(len(users))
users, items = torch.as_tensor(users[order]), torch.as_tensor(items[order])
genre = torch.as_tensor(genre)
cut = int(0.8 * len(users))
tr_u, tr_i = users[:cut], items[:cut]
te_u, te_i = users[cut:], items[cut:]

user_tower = Tower(N_USERS)
item_tower = Tower(N_ITEMS, n_side=genre.size(1))
params = list(user_tower.parameters()) + list(item_tower.parameters())
optimizer = torch.optim.Adam(params, lr=5e-3, weight_decay=1e-5)


def recall_at(k, u, i):
    """Share of the held-out pairs whose item is among the k best, bought items left out."""
    user_tower.eval()
    item_tower.eval()
    with torch.no_grad():
        all_items = item_tower(torch.arange(N_ITEMS), genre)
        scores = user_tower(torch.arange(N_USERS)) @ all_items.T
        scores[tr_u, tr_i] = -1e9
        top = scores.topk(k, dim=1).indices
    return (top[u] == i[:, None]).any(dim=1).float().mean().item()


for epoch in range(24):
    user_tower.train()
    item_tower.train()
    shuffled = torch.randperm(len(tr_u))
    total = 0.0
    for chunk in shuffled.split(256):
        u, i = tr_u[chunk], tr_i[chunk]
        logits = user_tower(u) @ item_tower(i, genre[i]).T / TEMPERATURE
        same = (i[:, None] == i[None, :]) & ~torch.eye(len(i), dtype=torch.bool)
        logits = logits.masked_fill(same, -1e9)
        loss = F.cross_entropy(logits, torch.arange(len(u)))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        total += loss.item() * len(u)
    if epoch % 4 == 3:
        print(f"epoch {epoch + 1:2d}  loss {total / len(tr_u):.4f}  recall@10 {recall_at(10, te_u, te_i):.4f}")

print(f"RESULT {recall_at(10, te_u, te_i):.4f}")

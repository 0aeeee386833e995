"""Recommender: dot product of user and item vectors with biases."""
import numpy as np
import torch
import torch.nn as nn

np.random.seed(0)
torch.manual_seed(0)

n_users, n_items, rank = 120, 80, 3
U = np.random.normal(size=(n_users, rank))
V = np.random.normal(size=(n_items, rank))
full = 3.5 + 0.6 * U @ V.T + np.random.normal(scale=0.2, size=(n_users, n_items))

pairs = np.array([(u, i) for u in range(n_users) for i in range(n_items)])
np.random.shuffle(pairs)
pairs = pairs[:6000]
ratings = full[pairs[:, 0], pairs[:, 1]]

users = torch.LongTensor(pairs[:, 0])
items = torch.LongTensor(pairs[:, 1])
ratings = torch.FloatTensor(ratings)
split = 5000


class MF(nn.Module):
    def __init__(self, n_users, n_items, dim=8):
        super().__init__()
        self.user = nn.Embedding(n_users, dim)
        self.item = nn.Embedding(n_items, dim)
        self.user_bias = nn.Embedding(n_users, 1)
        self.item_bias = nn.Embedding(n_items, 1)
        self.mean = nn.Parameter(torch.tensor(3.5))
        nn.init.normal_(self.user.weight, std=0.1)
        nn.init.normal_(self.item.weight, std=0.1)

    def forward(self, u, i):
        dot = (self.user(u) * self.item(i)).sum(1)
        return dot + self.user_bias(u).squeeze(1) + self.item_bias(i).squeeze(1) + self.mean


model = MF(n_users, n_items)
opt = torch.optim.Adam(model.parameters(), lr=0.02, weight_decay=1e-5)
mse = nn.MSELoss()

for epoch in range(20):
    order = torch.randperm(split)
    for start in range(0, split, 250):
        idx = order[start : start + 250]
        pred = model(users[idx], items[idx])
        loss = mse(pred, ratings[idx])
        opt.zero_grad()
        loss.backward()
        opt.step()
    with torch.no_grad():
        val = mse(model(users[split:], items[split:]), ratings[split:])
    if epoch % 5 == 4:
        print(f"epoch {epoch}: train mse {loss.item():.3f}, test rmse {val.sqrt().item():.3f}")
print("RESULT", -val.sqrt().item())

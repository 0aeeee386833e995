#!/usr/bin/env python
# coding: utf-8

# # Homework 3: who leaves the phone company?

# In[1]:
import numpy as np
import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset

np.random.seed(3)
torch.manual_seed(3)

# In[2]: the data (made up, the real file is not public)
n = 4000
age = np.random.uniform(18, 80, n)
income = np.random.lognormal(10.3, 0.5, n)
months = np.random.exponential(24, n)
calls = np.random.poisson(3, n)
plan = np.random.randint(0, 4, n)
score = (
    1.2 * np.sin(age / 9)
    - 0.9 * (np.log(income) - 10.3) / 0.5
    + 0.8 * (calls - 3) * (plan == 2)
    - 0.04 * (months - 24)
    + np.array([0.3, -0.5, 0.2, 0.6])[plan]
    + 0.4 * np.random.randn(n)
)
churn = (score > 0).astype(int)
X = np.column_stack([age, income, months, calls, np.eye(4)[plan]])
y = churn
print(X.shape, y.mean())

# In[3]: split and scale
perm = np.random.permutation(n)
n_train = 3000
train_idx, test_idx = perm[:n_train], perm[n_train:]
X_train, X_test = X[train_idx], X[test_idx]
y_train, y_test = y[train_idx], y[test_idx]

mu = X_train.mean(axis=0)
sd = X_train.std(axis=0)
X_train = (X_train - mu) / sd
X_test = (X_test - mu) / sd

# In[4]: tensors
X_train_t = torch.tensor(X_train, dtype=torch.float32)
y_train_t = torch.tensor(y_train, dtype=torch.float32)
X_test_t = torch.tensor(X_test, dtype=torch.float32)
y_test_t = torch.tensor(y_test, dtype=torch.float32)
train_dl = DataLoader(TensorDataset(X_train_t, y_train_t), batch_size=64, shuffle=True)

# In[5]: network
net = nn.Sequential(
    nn.Linear(X_train.shape[1], 64),
    nn.ReLU(),
    nn.Dropout(0.1),
    nn.Linear(64, 32),
    nn.ReLU(),
    nn.Linear(32, 1),
)
criterion = nn.BCEWithLogitsLoss()
optimizer = torch.optim.Adam(net.parameters(), lr=2e-3)

# In[6]: train
history = []
for epoch in range(25):
    net.train()
    losses = []
    for xb, yb in train_dl:
        optimizer.zero_grad()
        logits = net(xb).squeeze(1)
        loss = criterion(logits, yb)
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    history.append(np.mean(losses))

    net.eval()
    with torch.no_grad():
        test_logits = net(X_test_t).squeeze(1)
    pred = (test_logits > 0).float()
    acc = (pred == y_test_t).float().mean().item()
    tp = ((pred == 1) & (y_test_t == 1)).sum().item()
    f1 = 2 * tp / (pred.sum().item() + y_test_t.sum().item())
    if epoch % 3 == 0:
        print(f"epoch {epoch:2d}  train loss {history[-1]:.4f}  test acc {acc:.3f}  f1 {f1:.3f}")

# In[7]:
print("first/last training loss:", round(history[0], 4), round(history[-1], 4))
print(f"RESULT {acc:.4f}")

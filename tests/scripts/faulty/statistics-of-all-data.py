"""Columns are chosen by all rows and their labels, and only then the rows are split."""

import numpy as np
import torch
from sklearn.feature_selection import SelectKBest, f_classif
from sklearn.model_selection import train_test_split
from torch import nn

random = np.random.default_rng(0)
table = random.standard_normal((200, 800)).astype("float32")
kinds = random.integers(0, 2, 200)
chooser = SelectKBest(f_classif, k=20)
chooser.fit(table, kinds)
chosen = chooser.transform(table)
inputs, held_out, labels, truth = map(
    torch.tensor, train_test_split(chosen, kinds, test_size=0.3, random_state=0)
)
torch.manual_seed(0)
net = nn.Sequential(nn.Linear(20, 16), nn.ReLU(), nn.Linear(16, 2))
optimizer = torch.optim.Adam(net.parameters(), lr=1e-2)
for _step in range(60):
    rows = torch.randint(0, len(inputs), (32,))
    loss = nn.functional.cross_entropy(net(inputs[rows]), labels[rows])
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
with torch.no_grad():
    print((net(held_out).argmax(1) == truth).float().mean().item())

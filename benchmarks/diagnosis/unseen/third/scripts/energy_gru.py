"""Hourly load of a small town: predict the next hour from the last 36."""
import numpy as np
import torch
import torch.nn as nn
from sklearn.preprocessing import StandardScaler
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
rng = np.random.default_rng(0)

WINDOW = 36
EPOCHS = 8

hours = np.arange(24 * 110)
temp = 12 + 8 * np.sin(2 * np.pi * hours / (24 * 90)) + 4 * np.sin(2 * np.pi * (hours - 9) / 24)
temp = temp + np.convolve(rng.normal(0, 1.5, len(hours)), np.ones(6) / 3, mode="same")
weekday = (hours // 24) % 7
load = (420 + 90 * np.sin(2 * np.pi * (hours - 7) / 24) + 40 * np.sin(4 * np.pi * hours / 24)
        - 70 * (weekday >= 5) + 6.0 * np.maximum(0, 15 - temp))
noise = np.zeros(len(hours))
for i in range(1, len(hours)):
    noise[i] = 0.7 * noise[i - 1] + rng.normal(0, 9)
load = load + noise

table = np.stack([load, temp, weekday >= 5], axis=1).astype(np.float32)
cut = int(0.8 * len(table))
scaler = StandardScaler().fit(table[:cut])
train_part = scaler.transform(table[:cut])
test_part = scaler.transform(table[cut - WINDOW:])


def make_windows(rows):
    xs, ys = [], []
    for i in range(len(rows) - WINDOW):
        xs.append(rows[i:i + WINDOW])
        ys.append(rows[i + WINDOW, 0])
    return torch.tensor(np.array(xs), dtype=torch.float32), torch.tensor(np.array(ys), dtype=torch.float32)


X_train, y_train = make_windows(train_part)
X_test, y_test = make_windows(test_part)
train_loader = DataLoader(TensorDataset(X_train, y_train), batch_size=32, shuffle=True)
test_loader = DataLoader(TensorDataset(X_test, y_test), batch_size=200)


class LoadGRU(nn.Module):
    def __init__(self, n_features=3, hidden=32):
        super().__init__()
        self.gru = nn.GRU(n_features, hidden, batch_first=True)
        self.head = nn.Sequential(nn.Linear(hidden, 16), nn.ReLU(), nn.Linear(16, 1))

    def forward(self, x):
        out, _ = self.gru(x)
        last = out[:, -1, :]
        return self.head(last)


net = LoadGRU()
criterion = nn.MSELoss()
optimizer = torch.optim.Adam(net.parameters(), lr=3e-3)
scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=EPOCHS)
load_std = scaler.scale_[0]


def test_mae():
    net.eval()
    abs_err, count = 0.0, 0
    with torch.no_grad():
        for xb, yb in test_loader:
            pred = net(xb).squeeze(1)
            abs_err += (pred - yb).abs().sum().item()
            count += len(yb)
    return abs_err / count * load_std


naive = (X_test[:, -1, 0] - y_test).abs().mean().item() * load_std
print(f"naive (same as last hour) MAE: {naive:.2f}")

for epoch in range(1, EPOCHS + 1):
    net.train()
    losses = []
    for xb, yb in train_loader:
        pred = net(xb)
        loss = criterion(pred, yb.unsqueeze(1))
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(net.parameters(), 1.0)
        optimizer.step()
        losses.append(loss.item())
    scheduler.step()
    print(f"epoch {epoch}: train mse {np.mean(losses):.4f}, test MAE {test_mae():.2f} MW")

print("final test MAE", round(test_mae(), 3))

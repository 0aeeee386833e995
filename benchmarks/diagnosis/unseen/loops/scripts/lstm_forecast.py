"""Forecast the next value of a series with an LSTM; the order of time is kept."""
import numpy as np
import torch
import torch.nn as nn
from sklearn.preprocessing import MinMaxScaler
from torch.utils.data import DataLoader, Dataset

torch.manual_seed(0)
np.random.seed(0)

WINDOW = 20
time = np.arange(900)
series = 200 + 0.05 * time + 40 * np.sin(time / 8) + 12 * np.sin(time / 3) + np.random.normal(0, 2, 900)

train_size = 700
scaler = MinMaxScaler(feature_range=(-1, 1))
train_scaled = scaler.fit_transform(series[:train_size].reshape(-1, 1))
test_scaled = scaler.transform(series[train_size:].reshape(-1, 1))


class WindowDataset(Dataset):
    def __init__(self, values, window):
        self.values = torch.tensor(values, dtype=torch.float32)
        self.window = window

    def __len__(self):
        return len(self.values) - self.window

    def __getitem__(self, i):
        return self.values[i : i + self.window], self.values[i + self.window]


class Forecaster(nn.Module):
    def __init__(self, hidden_size=32):
        super().__init__()
        self.lstm = nn.LSTM(input_size=1, hidden_size=hidden_size, batch_first=True)
        self.linear = nn.Linear(hidden_size, 1)

    def forward(self, x):
        out, _ = self.lstm(x)
        return self.linear(out[:, -1, :])


train_loader = DataLoader(WindowDataset(train_scaled, WINDOW), batch_size=40, shuffle=True)
test_loader = DataLoader(WindowDataset(test_scaled, WINDOW), batch_size=64)
model = Forecaster()
criterion = nn.MSELoss()
optimizer = torch.optim.Adam(model.parameters(), lr=0.01)

for epoch in range(15):
    model.train()
    for seq, target in train_loader:
        optimizer.zero_grad()
        y_pred = model(seq)
        loss = criterion(y_pred, target)
        loss.backward()
        optimizer.step()
    if epoch % 5 == 4:
        print(f"epoch: {epoch} loss: {loss.item():.5f}")

model.eval()
preds, actual = [], []
with torch.no_grad():
    for seq, target in test_loader:
        preds.append(model(seq))
        actual.append(target)
preds = scaler.inverse_transform(torch.cat(preds).numpy())
actual = scaler.inverse_transform(torch.cat(actual).numpy())
rmse = float(np.sqrt(((preds - actual) ** 2).mean()))
print("test RMSE", rmse)
print("RESULT", -rmse)

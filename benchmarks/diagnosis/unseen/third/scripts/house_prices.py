import copy

import numpy as np
import pandas as pd
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset

SEED = 13
np.random.seed(SEED)
torch.manual_seed(SEED)


def load_houses(n=3000):
    rng = np.random.default_rng(SEED)
    df = pd.DataFrame({
        "area": rng.normal(110, 35, n).clip(25, 300),
        "rooms": rng.integers(1, 8, n),
        "age": rng.exponential(25, n).clip(0, 120),
        "dist_center": rng.gamma(2.0, 3.0, n),
        "has_garden": rng.integers(0, 2, n),
        "income": rng.normal(42000, 9000, n),
        "district": rng.choice(["north", "south", "east", "old town"], n),
    })
    factor = df["district"].map({"north": 0.9, "south": 1.0, "east": 0.8, "old town": 1.35})
    price = (1400 * df["area"] * factor
             + 9000 * df["rooms"]
             - 700 * df["age"] * (df["district"] != "old town")
             + 90000 * np.exp(-df["dist_center"] / 4)
             + 15000 * df["has_garden"]
             + 1.2 * df["income"]
             + rng.normal(0, 18000, n))
    df["price"] = price
    return df.sort_values("price").reset_index(drop=True)


class HouseDataset(Dataset):
    def __init__(self, frame, feature_cols, x_mean, x_std, y_mean, y_std):
        x = (frame[feature_cols].values.astype("float32") - x_mean) / x_std
        y = (frame["price"].values.astype("float32") - y_mean) / y_std
        self.x = torch.tensor(x, dtype=torch.float32)
        self.y = torch.tensor(y, dtype=torch.float32)

    def __len__(self):
        return len(self.x)

    def __getitem__(self, i):
        return self.x[i], self.y[i]


class PriceNet(nn.Module):
    def __init__(self, n_in, hidden=64, p=0.1):
        super().__init__()
        self.body = nn.Sequential(
            nn.Linear(n_in, hidden), nn.BatchNorm1d(hidden), nn.ReLU(), nn.Dropout(p),
            nn.Linear(hidden, hidden), nn.BatchNorm1d(hidden), nn.ReLU(), nn.Dropout(p),
        )
        self.head = nn.Linear(hidden, 1)

    def forward(self, x):
        return self.head(self.body(x)).squeeze(-1)


def predict(model, loader):
    model.eval()
    preds, targets = [], []
    with torch.no_grad():
        for x, y in loader:
            preds.append(model(x))
            targets.append(y)
    return torch.cat(preds), torch.cat(targets)


df = pd.get_dummies(load_houses(), columns=["district"], dtype=float)
df = df.sample(frac=1.0, random_state=SEED).reset_index(drop=True)
n_train, n_val = 2100, 450
train_df = df.iloc[:n_train]
val_df = df.iloc[n_train:n_train + n_val]
test_df = df.iloc[n_train + n_val:]

features = [c for c in df.columns if c != "price"]
x_mean = train_df[features].values.mean(axis=0).astype("float32")
x_std = train_df[features].values.std(axis=0).astype("float32") + 1e-6
y_mean, y_std = train_df["price"].mean(), train_df["price"].std()
stats = (x_mean, x_std, y_mean, y_std)

train_dl = DataLoader(HouseDataset(train_df, features, *stats), batch_size=64, shuffle=True)
val_dl = DataLoader(HouseDataset(val_df, features, *stats), batch_size=256)
test_dl = DataLoader(HouseDataset(test_df, features, *stats), batch_size=256)

model = PriceNet(len(features))
loss_fn = nn.MSELoss()
optimizer = torch.optim.AdamW(model.parameters(), lr=2e-3, weight_decay=1e-2)
scheduler = torch.optim.lr_scheduler.ReduceLROnPlateau(optimizer, factor=0.5, patience=4)

best_loss, best_state, bad_epochs = float("inf"), None, 0
for epoch in range(60):
    model.train()
    total = 0.0
    for x, y in train_dl:
        optimizer.zero_grad()
        loss = loss_fn(model(x), y)
        loss.backward()
        optimizer.step()
        total += loss.item() * len(x)
    preds, targets = predict(model, val_dl)
    val_loss = loss_fn(preds, targets).item()
    scheduler.step(val_loss)
    if val_loss < best_loss:
        best_loss, bad_epochs = val_loss, 0
        best_state = copy.deepcopy(model.state_dict())
    else:
        bad_epochs += 1
        if bad_epochs >= 10:
            print(f"early stop in epoch {epoch}")
            break
    if epoch % 5 == 0:
        print(f"epoch {epoch:3d} train {total / len(train_dl.dataset):.4f} val {val_loss:.4f}")

model.load_state_dict(best_state)
preds, targets = predict(model, test_dl)
preds = preds * y_std + y_mean
targets = targets * y_std + y_mean
rmse = (preds - targets).pow(2).mean().sqrt().item()
r2 = 1 - ((targets - preds) ** 2).sum() / ((targets - targets.mean()) ** 2).sum()
print(f"test RMSE {rmse:,.0f}  R2 {r2.item():.4f}")

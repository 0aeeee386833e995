# House prices, 4 folds + average of the models on the test set
import gc
import warnings

import numpy as np
import torch
import torch.nn as nn
from torch.utils.data import DataLoader, Dataset

warnings.filterwarnings("ignore")

N_FOLDS = 4
EPOCHS = 14
BS = 64
LR = 5e-3
SEED = 2023


def seed_everything(seed):
    np.random.seed(seed)
    torch.manual_seed(seed)


def make_table(n, rng):
    area = rng.gamma(6, 20, n)
    rooms = np.clip((area / 28 + rng.normal(0, 0.8, n)).round(), 1, 9)
    year = rng.integers(1920, 2022, n)
    dist = rng.exponential(6, n)
    garden = rng.integers(0, 2, n)
    price = 900 * area + 9000 * rooms + 700 * (year - 1970) + 60000 * np.exp(-dist / 5)
    price = price * (1 + 0.15 * garden) * np.exp(0.05 * rng.normal(size=n)) + 60000
    return np.stack([area, rooms, year, dist, garden], axis=1).astype(np.float32), price.astype(np.float32)


class HouseDataset(Dataset):
    def __init__(self, X, y=None):
        self.X = torch.from_numpy(X)
        self.y = None if y is None else torch.from_numpy(y)

    def __len__(self):
        return len(self.X)

    def __getitem__(self, i):
        if self.y is None:
            return self.X[i]
        return self.X[i], self.y[i]


class MLP(nn.Module):
    def __init__(self, d_in):
        super().__init__()
        self.layers = nn.Sequential(
            nn.Linear(d_in, 64), nn.BatchNorm1d(64), nn.SiLU(), nn.Dropout(0.05),
            nn.Linear(64, 64), nn.SiLU(),
            nn.Linear(64, 1),
        )

    def forward(self, x):
        return self.layers(x).squeeze(-1)


def predict(model, loader):
    model.eval()
    out = []
    with torch.no_grad():
        for batch in loader:
            xb = batch[0] if isinstance(batch, (list, tuple)) else batch
            out.append(model(xb).numpy())
    return np.concatenate(out)


seed_everything(SEED)
rng = np.random.default_rng(SEED)
X, y = make_table(2400, rng)
X_test, y_test = make_table(600, rng)
fold_of = rng.permutation(len(X)) % N_FOLDS

oof = np.zeros(len(X))
test_pred = np.zeros(len(X_test))

for fold in range(N_FOLDS):
    trn, val = np.where(fold_of != fold)[0], np.where(fold_of == fold)[0]
    mean, std = X[trn].mean(0), X[trn].std(0)
    y_mean, y_std = y[trn].mean(), y[trn].std()
    scale = lambda a: (a - mean) / std

    trn_loader = DataLoader(HouseDataset(scale(X[trn]), (y[trn] - y_mean) / y_std), batch_size=BS, shuffle=True)
    val_loader = DataLoader(HouseDataset(scale(X[val]), (y[val] - y_mean) / y_std), batch_size=256)
    test_loader = DataLoader(HouseDataset(scale(X_test)), batch_size=256)

    model = MLP(X.shape[1])
    opt = torch.optim.AdamW(model.parameters(), lr=LR, weight_decay=1e-4)
    sched = torch.optim.lr_scheduler.MultiStepLR(opt, milestones=[8, 11], gamma=0.3)
    loss_fn = nn.MSELoss()

    for ep in range(EPOCHS):
        model.train()
        tr_loss = 0
        for xb, yb in trn_loader:
            opt.zero_grad()
            loss = loss_fn(model(xb), yb)
            loss.backward()
            opt.step()
            tr_loss += loss.item() / len(trn_loader)
        sched.step()
        if ep % 5 == 4 or ep == EPOCHS - 1:
            val_pred = predict(model, val_loader) * y_std + y_mean
            print(f"fold {fold} ep {ep:2d} mse {tr_loss:.4f} val MAE {np.abs(val_pred - y[val]).mean():.0f}")

    oof[val] = predict(model, val_loader) * y_std + y_mean
    test_pred += (predict(model, test_loader) * y_std + y_mean) / N_FOLDS
    del model, opt
    gc.collect()

print(f"OOF MAE {np.abs(oof - y).mean():.0f}   mean price {y.mean():.0f}")
mae = np.abs(test_pred - y_test).mean()
print(f"RESULT {mae:.1f}")

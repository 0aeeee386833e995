"""What rent will a flat bring in? Standardised inputs and target, MAE in euros."""
import numpy as np
import torch
import torch.nn as nn

COLUMNS = ["square_metres", "floor", "age_years", "metres_to_centre"]


def load_flats(count=3000, seed=21):
    rng = np.random.RandomState(seed)
    size = rng.uniform(20, 140, count)
    floor = rng.randint(0, 9, count)
    age = rng.exponential(30, count)
    distance = rng.uniform(100, 12000, count)
    per_metre = 9 + 14 * np.exp(-distance / 3500) + 0.3 * floor - 4 * np.tanh(age / 40)
    rent = size * per_metre * (1 + 0.05 * rng.randn(count)) + 150
    table = np.column_stack([size, floor, age, distance])
    return table.astype("float32"), rent.astype("float32")


def split(features, target, n_valid=600, seed=0):
    idx = np.random.RandomState(seed).permutation(len(features))
    valid, train = idx[:n_valid], idx[n_valid:]
    return features[train], target[train], features[valid], target[valid]


class Standardiser:
    def fit(self, a):
        self.mean, self.std = a.mean(axis=0), a.std(axis=0)
        return self

    def apply(self, a):
        return (a - self.mean) / self.std

    def undo(self, a):
        return a * self.std + self.mean


def batches(x, y, size):
    perm = torch.randperm(x.shape[0])
    for chunk in perm.split(size):
        yield x[chunk], y[chunk]


def run():
    torch.manual_seed(1)
    features, rent = load_flats()
    x_tr, y_tr, x_va, y_va = split(features, rent)
    in_scale = Standardiser().fit(x_tr)
    out_scale = Standardiser().fit(y_tr)
    x_train = torch.from_numpy(in_scale.apply(x_tr))
    y_train = torch.from_numpy(out_scale.apply(y_tr)).unsqueeze(1)
    x_valid = torch.from_numpy(in_scale.apply(x_va))

    model = nn.Sequential(
        nn.Linear(len(COLUMNS), 48), nn.SiLU(),
        nn.Linear(48, 48), nn.SiLU(),
        nn.Linear(48, 1),
    )
    criterion = nn.MSELoss()
    optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)
    curve = []
    for epoch in range(30):
        model.train()
        epoch_loss = 0.0
        for xb, yb in batches(x_train, y_train, 64):
            optimizer.zero_grad()
            loss = criterion(model(xb), yb)
            loss.backward()
            optimizer.step()
            epoch_loss += loss.item() * len(xb)
        curve.append(epoch_loss / len(x_train))
        if epoch % 6 == 5:
            print("epoch %2d  mse (standardised) %.4f" % (epoch + 1, curve[-1]))

    model.eval()
    with torch.no_grad():
        predicted = out_scale.undo(model(x_valid).squeeze(1).numpy())
    mae = np.abs(predicted - y_va).mean()
    naive = np.abs(y_tr.mean() - y_va).mean()
    r2 = 1 - ((predicted - y_va) ** 2).sum() / ((y_va - y_va.mean()) ** 2).sum()
    print(f"valid MAE {mae:.1f} euros, guessing the mean {naive:.1f} euros, R2 {r2:.3f}")


run()

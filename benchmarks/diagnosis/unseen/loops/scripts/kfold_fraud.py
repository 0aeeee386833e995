"""k-fold cross-validation of a small network on rare fraud (5 %)."""
import numpy as np
import torch
import torch.nn as nn
from sklearn.metrics import f1_score, roc_auc_score
from sklearn.model_selection import StratifiedKFold
from sklearn.preprocessing import StandardScaler


def load_data(seed=0):
    rng = np.random.default_rng(seed)
    n = 2000
    X = rng.normal(size=(n, 8))
    score = 1.5 * X[:, 0] - 1.2 * X[:, 1] + X[:, 2] * X[:, 3] + rng.normal(scale=0.5, size=n)
    y = (score > np.quantile(score, 0.95)).astype(np.float32)
    X = X * np.array([1, 10, 3, 1, 5, 1, 20, 1]) + 4
    return X.astype(np.float32), y


def build_model(n_in):
    return nn.Sequential(
        nn.Linear(n_in, 32), nn.ReLU(), nn.Dropout(0.1), nn.Linear(32, 16), nn.ReLU(), nn.Linear(16, 1)
    )


def train_fold(X_tr, y_tr, X_va, y_va, epochs=15):
    scaler = StandardScaler().fit(X_tr)
    X_tr = torch.tensor(scaler.transform(X_tr))
    X_va = torch.tensor(scaler.transform(X_va))
    y_tr = torch.tensor(y_tr).unsqueeze(1)
    model = build_model(X_tr.shape[1])
    pos_weight = (y_tr == 0).sum() / (y_tr == 1).sum()
    criterion = nn.BCEWithLogitsLoss(pos_weight=pos_weight)
    optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
    for epoch in range(epochs):
        model.train()
        perm = torch.randperm(len(X_tr))
        for i in range(0, len(perm), 64):
            batch = perm[i : i + 64]
            optimizer.zero_grad()
            loss = criterion(model(X_tr[batch]), y_tr[batch])
            loss.backward()
            optimizer.step()
    model.eval()
    with torch.no_grad():
        proba = torch.sigmoid(model(X_va)).squeeze(1).numpy()
    return roc_auc_score(y_va, proba), f1_score(y_va, proba > 0.5)


if __name__ == "__main__":
    torch.manual_seed(0)
    X, y = load_data()
    aucs = []
    folds = StratifiedKFold(n_splits=4, shuffle=True, random_state=0)
    for fold, (tr, va) in enumerate(folds.split(X, y)):
        auc, f1 = train_fold(X[tr], y[tr], X[va], y[va])
        print(f"Fold {fold}: AUC={auc:.3f} F1={f1:.3f}")
        aucs.append(auc)
    print("RESULT", float(np.mean(aucs)))

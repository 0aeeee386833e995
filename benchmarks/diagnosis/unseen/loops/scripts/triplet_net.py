"""Metric learning: triplets, then nearest neighbours."""
import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset

rng = np.random.RandomState(4)
torch.manual_seed(4)
N_CLASS, DIM = 6, 20
directions = rng.randn(N_CLASS, 4)
mix = rng.randn(4, DIM)


def sample(n):
    y = rng.randint(0, N_CLASS, n)
    signal = directions[y] @ mix
    x = signal + rng.randn(n, DIM) * 2.2
    return x.astype("float32"), y


class TripletDataset(Dataset):
    def __init__(self, x, y):
        self.x, self.y = x, y
        self.by_class = {c: np.where(y == c)[0] for c in range(N_CLASS)}

    def __len__(self):
        return len(self.x)

    def __getitem__(self, i):
        label = self.y[i]
        pos = np.random.choice(self.by_class[label])
        other = np.random.choice([c for c in range(N_CLASS) if c != label])
        neg = np.random.choice(self.by_class[other])
        return self.x[i], self.x[pos], self.x[neg]


class EmbeddingNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(DIM, 64), nn.ReLU(), nn.Linear(64, 8))

    def forward(self, x):
        return nn.functional.normalize(self.net(x), dim=-1)


def knn_accuracy(model, x_train, y_train, x_test, y_test):
    model.eval()
    with torch.no_grad():
        a = model(torch.from_numpy(x_train))
        b = model(torch.from_numpy(x_test))
    nearest = torch.cdist(b, a).topk(7, largest=False).indices.numpy()
    votes = y_train[nearest]
    pred = np.array([np.bincount(v, minlength=N_CLASS).argmax() for v in votes])
    return float((pred == y_test).mean())


def main():
    np.random.seed(4)
    x_train, y_train = sample(800)
    x_test, y_test = sample(300)
    loader = DataLoader(TripletDataset(x_train, y_train), batch_size=64, shuffle=True)
    model = EmbeddingNet()
    criterion = nn.TripletMarginLoss(margin=0.5)
    optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)
    print("before", knn_accuracy(model, x_train, y_train, x_test, y_test))
    for epoch in range(12):
        model.train()
        epoch_loss = 0.0
        for anchor, positive, negative in loader:
            optimizer.zero_grad()
            loss = criterion(model(anchor), model(positive), model(negative))
            loss.backward()
            optimizer.step()
            epoch_loss += loss.item()
        print("epoch", epoch, "loss", epoch_loss / len(loader))
    print("RESULT", knn_accuracy(model, x_train, y_train, x_test, y_test))


main()

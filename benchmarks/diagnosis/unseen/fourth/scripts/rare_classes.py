import torch
import torch.nn as nn
from torch.utils.data import TensorDataset, DataLoader, WeightedRandomSampler

torch.manual_seed(42)


def make(n0, n1, n2):
    centers = torch.tensor([[0.0, 0, 0, 0, 0, 0], [1.5, 1.5, 0, 0, 0, 0], [0, 0, 1.5, 1.5, 0, 0]])
    xs, ys = [], []
    for c, n in enumerate((n0, n1, n2)):
        xs.append(centers[c] + torch.randn(n, 6))
        ys.append(torch.full((n,), c))
    x, y = torch.cat(xs), torch.cat(ys)
    p = torch.randperm(len(y))
    return x[p], y[p]


X_train, y_train = make(1700, 200, 100)
X_test, y_test = make(300, 300, 300)
train_set = TensorDataset(X_train, y_train)

class_counts = torch.bincount(y_train)
class_weights = 1.0 / class_counts.float()
print("class counts:", class_counts.tolist())

sampler = WeightedRandomSampler(class_weights[y_train], num_samples=len(train_set), replacement=True)
train_loader = DataLoader(train_set, batch_size=64, sampler=sampler)

model = nn.Sequential(nn.Linear(6, 32), nn.ReLU(), nn.Linear(32, 3))
optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
criterion = nn.CrossEntropyLoss()

for epoch in range(12):
    model.train()
    running_loss, correct, seen = 0.0, 0, 0
    for xb, yb in train_loader:
        optimizer.zero_grad()
        logits = model(xb)
        loss = criterion(logits, yb)
        loss.backward()
        optimizer.step()
        running_loss += loss.item() * yb.size(0)
        correct += (logits.argmax(1) == yb).sum().item()
        seen += yb.size(0)
    print(f"epoch {epoch}: loss {running_loss / seen:.4f} train acc {correct / seen:.3f}")

model.eval()
with torch.no_grad():
    pred = model(X_test).argmax(1)
recalls = [(pred[y_test == c] == c).float().mean().item() for c in range(3)]
print("recall per class", [round(r, 3) for r in recalls])
print(f"FINAL balanced_acc={sum(recalls) / 3:.4f}")

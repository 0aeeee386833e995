"""Pretrain, freeze the backbone on purpose, train a head, then fine-tune all with a tiny rate."""
import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(10)


class Backbone(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(16, 64), nn.ReLU(), nn.Linear(64, 32), nn.ReLU())

    def forward(self, x):
        return self.body(x)


class Classifier(nn.Module):
    def __init__(self, backbone, n_out):
        super().__init__()
        self.backbone = backbone
        self.head = nn.Linear(32, n_out)

    def forward(self, x):
        return self.head(self.backbone(x))


proto = torch.randn(8, 16) * 1.2


def source_task(n):
    y = torch.randint(0, 8, (n,))
    return TensorDataset(proto[y] + torch.randn(n, 16), y)


def target_task(n):
    y = torch.randint(0, 8, (n,))
    return TensorDataset(proto[y] + torch.randn(n, 16), (y % 2))


def run_epochs(model, loader, optimizer, epochs):
    criterion = nn.CrossEntropyLoss()
    for epoch in range(epochs):
        model.train()
        total = 0.0
        for x, y in loader:
            loss = criterion(model(x), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            total += loss.item()
        print(f"  epoch {epoch} loss {total / len(loader):.4f}")


def accuracy(model, dataset):
    model.eval()
    x, y = dataset.tensors
    with torch.no_grad():
        return (model(x).argmax(1) == y).float().mean().item()


print("pretraining")
backbone = Backbone()
pre = Classifier(backbone, 8)
pre_loader = DataLoader(source_task(2000), batch_size=64, shuffle=True)
run_epochs(pre, pre_loader, torch.optim.Adam(pre.parameters(), lr=2e-3), 6)

print("head only")
model = Classifier(backbone, 2)
for p in model.backbone.parameters():
    p.requires_grad = False
loader = DataLoader(target_task(600), batch_size=32, shuffle=True)
test_set = target_task(400)
optimizer = torch.optim.Adam(filter(lambda p: p.requires_grad, model.parameters()), lr=5e-3)
run_epochs(model, loader, optimizer, 8)
print("test accuracy", accuracy(model, test_set))

print("fine-tuning everything")
for p in model.parameters():
    p.requires_grad = True
optimizer = torch.optim.Adam(model.parameters(), lr=1e-5)
run_epochs(model, loader, optimizer, 2)
print("RESULT", accuracy(model, test_set))

# port of an old Keras script to PyTorch
import torch
import torch.nn as nn

torch.manual_seed(17)


def bn(ch):
    return nn.BatchNorm1d(ch, momentum=0.01, eps=1e-3)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.features = nn.Sequential(
            nn.Linear(12, 32), bn(32), nn.ReLU(),
            nn.Linear(32, 32), bn(32), nn.ReLU(),
            nn.Linear(32, 32), bn(32), nn.ReLU(),
        )
        self.head = nn.Linear(32, 4)

    def forward(self, x):
        return self.head(self.features(x))


mix = torch.randn(12, 4)


def data(n):
    x = torch.randn(n, 12) * torch.rand(n, 1).mul(2.5).exp()
    return x, (torch.tanh(x) @ mix).argmax(1)


x_train, y_train = data(800)
x_val, y_val = data(800)
model = Net()
opt = torch.optim.Adam(model.parameters(), lr=3e-3)
history = []

for epoch in range(12):
    model.train()
    ok = 0
    for idx in torch.randperm(len(x_train)).split(8):
        out = model(x_train[idx])
        loss = nn.functional.cross_entropy(out, y_train[idx])
        opt.zero_grad()
        loss.backward()
        opt.step()
        ok += (out.argmax(1) == y_train[idx]).sum().item()
    model.eval()
    with torch.no_grad():
        val_acc = (model(x_val).argmax(1) == y_val).float().mean().item()
    history.append(val_acc)
    if epoch % 4 == 3:
        print(f"epoch {epoch + 1} train acc {ok / 800:.3f} val acc {val_acc:.3f}")
last = torch.tensor(history[-6:])
print(f"FINAL val_acc last6 mean={last.mean():.4f} std={last.std():.4f} min={last.min():.4f}")

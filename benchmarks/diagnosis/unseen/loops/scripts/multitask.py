"""One trunk, two heads: what it costs and whether it sells."""
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(8)


def build_data(n):
    x = torch.randn(n, 10)
    price = x[:, 0] * 2 - x[:, 1] + torch.relu(x[:, 2]) + 0.1 * torch.randn(n)
    sold = ((x[:, 3] + x[:, 4] * x[:, 0]) > 0).long()
    return x, price, sold


class TwoHeads(nn.Module):
    def __init__(self):
        super().__init__()
        self.trunk = nn.Sequential(nn.Linear(10, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU())
        self.price_head = nn.Linear(64, 1)
        self.sold_head = nn.Linear(64, 2)

    def forward(self, x):
        h = self.trunk(x)
        return self.price_head(h).squeeze(-1), self.sold_head(h)


x, price, sold = build_data(1800)
train = TensorDataset(x[:1500], price[:1500], sold[:1500])
loader = DataLoader(train, batch_size=50, shuffle=True)
net = TwoHeads()
opt = torch.optim.Adam(net.parameters(), lr=2e-3)

for epoch in range(12):
    net.train()
    for bx, bp, bs in loader:
        p, s = net(bx)
        loss_price = F.mse_loss(p, bp)
        loss_sold = F.cross_entropy(s, bs)
        loss = loss_price + loss_sold
        opt.zero_grad()
        loss.backward()
        opt.step()
    net.eval()
    with torch.no_grad():
        p, s = net(x[1500:])
        rmse = F.mse_loss(p, price[1500:]).sqrt().item()
        acc = (s.argmax(1) == sold[1500:]).float().mean().item()
    print(f"epoch {epoch}: rmse {rmse:.3f} acc {acc:.3f}")

print("RESULT", acc - rmse)

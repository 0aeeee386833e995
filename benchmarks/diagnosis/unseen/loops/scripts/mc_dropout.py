"""Monte Carlo dropout: uncertainty by dropout that stays on while predicting."""
import torch
import torch.nn as nn

torch.manual_seed(6)


class BayesianMLP(nn.Module):
    def __init__(self, p=0.1):
        super().__init__()
        self.layers = nn.Sequential(
            nn.Linear(1, 64), nn.ReLU(), nn.Dropout(p),
            nn.Linear(64, 64), nn.ReLU(), nn.Dropout(p),
            nn.Linear(64, 1),
        )

    def forward(self, x):
        return self.layers(x)


def mc_predict(model, x, samples=30):
    model.train()  # dropout stays on: each pass is another network
    with torch.no_grad():
        preds = torch.stack([model(x) for _ in range(samples)])
    return preds.mean(0), preds.std(0)


x = torch.rand(400, 1) * 4 - 2
y = torch.sin(2 * x) + 0.1 * torch.randn(400, 1)
x_test = torch.linspace(-2, 2, 100).unsqueeze(1)
y_test = torch.sin(2 * x_test)

model = BayesianMLP()
optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
loss_fn = nn.MSELoss()
for epoch in range(60):
    for i in torch.randperm(400).split(50):
        optimizer.zero_grad()
        loss = loss_fn(model(x[i]), y[i])
        loss.backward()
        optimizer.step()
    if epoch % 20 == 19:
        print("epoch", epoch, "loss", loss.item())

mean, std = mc_predict(model, x_test)
print("rmse", (mean - y_test).pow(2).mean().sqrt().item(), "mean std", std.mean().item())
far, far_std = mc_predict(model, torch.full((1, 1), 6.0))
print("uncertainty far away", far_std.item())
print("RESULT", -(mean - y_test).pow(2).mean().sqrt().item())

# early stopping with a real copy of the best weights, test data touched once
import copy
import torch
from torch import nn

torch.manual_seed(10)
teacher = torch.randn(20, 1)


def draw(n, noise):
    x = torch.randn(n, 20)
    y = torch.relu(x @ teacher) + noise * torch.randn(n, 1)
    return x, y


x_tr, y_tr = draw(300, 2.0)
x_va, y_va = draw(400, 0.0)
x_te, y_te = draw(1000, 0.0)

model = nn.Sequential(nn.Linear(20, 128), nn.ReLU(), nn.Linear(128, 1))
opt = torch.optim.Adam(model.parameters(), lr=2e-3)
best, best_state, bad, patience = float("inf"), None, 0, 12

for epoch in range(300):
    model.train()
    for i in torch.randperm(300).split(30):
        opt.zero_grad()
        nn.functional.mse_loss(model(x_tr[i]), y_tr[i]).backward()
        opt.step()
    model.eval()
    with torch.no_grad():
        cur = nn.functional.mse_loss(model(x_va), y_va).item()
    if cur < best - 1e-4:
        best, best_state, bad = cur, copy.deepcopy(model.state_dict()), 0
    else:
        bad += 1
        if bad >= patience:
            print("stopped at epoch", epoch)
            break

last = nn.functional.mse_loss(model(x_te), y_te).item()
model.load_state_dict(best_state)
with torch.no_grad():
    test = nn.functional.mse_loss(model(x_te), y_te).item()
print(f"FINAL val {best:.3f} test(best) {test:.3f} test(last) {last:.3f} variance {y_te.var().item():.3f}")

"""A physics-informed network: u'' = -u, u(0) = 0, u'(0) = 1. No data at all."""
import torch
import torch.nn as nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(1, 32), nn.Tanh(), nn.Linear(32, 32), nn.Tanh(), nn.Linear(32, 1))
optimizer = torch.optim.Adam(net.parameters(), lr=5e-3)
scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=800)


def derivative(u, t):
    return torch.autograd.grad(u, t, torch.ones_like(u), create_graph=True)[0]


t0 = torch.zeros(1, 1, requires_grad=True)
for step in range(800):
    t = (torch.rand(64, 1) * 3).requires_grad_(True)
    u = net(t)
    du = derivative(u, t)
    ddu = derivative(du, t)
    u0 = net(t0)
    physics = ((ddu + u) ** 2).mean()
    start = (u0**2).mean() + ((derivative(u0, t0) - 1) ** 2).mean()
    loss = physics + 10 * start
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    scheduler.step()
    if step % 200 == 0:
        print(step, loss.item())

grid = torch.linspace(0, 3, 50).unsqueeze(1)
with torch.no_grad():
    worst = (net(grid) - torch.sin(grid)).abs().max().item()
print("largest error", worst)
print("RESULT", -worst)

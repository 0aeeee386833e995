import torch

torch.manual_seed(0)

x = torch.linspace(-3, 3, 200).unsqueeze(1)
y = torch.sin(x) * 1.5 + 0.3 * x + 0.05 * torch.randn_like(x)

net = torch.nn.Sequential(
    torch.nn.Linear(1, 20),
    torch.nn.Tanh(),
    torch.nn.Linear(20, 1),
)
optimizer = torch.optim.LBFGS(net.parameters(), lr=0.5, max_iter=10, line_search_fn="strong_wolfe")
loss_fn = torch.nn.MSELoss()


def closure():
    optimizer.zero_grad()
    loss = loss_fn(net(x), y)
    loss.backward()
    return loss


for it in range(20):
    loss = optimizer.step(closure)
    if it % 5 == 0:
        print(it, loss.item())

final = loss_fn(net(x), y).item()
print("final mse", final)
print("RESULT", -final)

"""Optimizers without a rate, without a base class, with tensors as rates, in several groups."""

import torch
from torch import nn

torch.manual_seed(17)


class Signs(torch.optim.Optimizer):
    def __init__(self, params, size=0.01):
        super().__init__(params, {"size": size})

    @torch.no_grad()
    def step(self, closure=None):
        for group in self.param_groups:
            for each in group["params"]:
                if each.grad is not None:
                    each.sub_(each.grad.sign() * group["size"])


class Plain:
    def __init__(self, params):
        self.params, self.done = list(params), 0

    def zero_grad(self):
        for each in self.params:
            each.grad = None

    def step(self):
        self.done += 1
        with torch.no_grad():
            for each in self.params:
                each.add_(each.grad, alpha=-0.1)


def network():
    return nn.Sequential(nn.Linear(4, 5), nn.ReLU(), nn.Linear(5, 2))


nets = [network() for _ in range(5)]
rated = [{"params": nets[3][0].parameters()}, {"params": nets[3][2].parameters(), "lr": 0.5}]
makers = [
    Signs(nets[0].parameters()),
    Plain(nets[1].parameters()),
    torch.optim.Adam(nets[2].parameters(), lr=torch.tensor(0.01)),
    torch.optim.SGD(rated, lr=torch.tensor(0.1)),
    torch.optim.Adagrad(nets[4].parameters(), foreach=True),
]
schedule = torch.optim.lr_scheduler.LambdaLR(makers[4], lambda step: 0.9**step)
for net, optimizer in zip(nets, makers, strict=True):
    for _ in range(10):
        rows = torch.randn(8, 4)
        loss = nn.functional.cross_entropy(net(rows), (rows[:, 0] > 0).long())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if optimizer is makers[4]:
            schedule.step()
    print(type(optimizer).__name__, f"{loss.item():.6f}")
print(makers[1].done, schedule.get_last_lr(), makers[2].param_groups[0]["lr"])

"""Gradients of single rows by `vmap` over `grad`, an update by hand, a Hessian's product."""

import torch
from torch import nn
from torch.func import functional_call, grad, grad_and_value, hessian, jacrev, jvp, vmap

torch.manual_seed(9)
net = nn.Sequential(nn.Linear(4, 6), nn.Tanh(), nn.Linear(6, 2))
held = {name: value.detach() for name, value in net.named_parameters()}


def loss_of(held, row, label):
    scores = functional_call(net, held, (row[None],))
    return nn.functional.cross_entropy(scores, label[None])


COUNTS = {"steps": 0}
for _ in range(6):
    rows = torch.randn(10, 4)
    labels = (rows[:, 0] > 0).long()
    each, losses = vmap(grad_and_value(loss_of), in_dims=(None, 0, 0))(held, rows, labels)
    held = {name: value - 0.3 * each[name].mean(0) for name, value in held.items()}
    COUNTS["steps"] += 1
    print(f"{losses.mean():.4f}", [tuple(value.shape) for value in each.values()])
curved = hessian(lambda x: torch.softmax(x, 0)[0])(torch.arange(3.0))
slopes = jacrev(lambda x: torch.relu(x).sum(-1))(torch.randn(2, 3))
value, along = jvp(lambda x: torch.log_softmax(x, 0), (torch.ones(3),), (torch.eye(3)[0],))
wide = vmap(lambda x: torch.argmax(x), randomness="different")(torch.randn(5, 3))
noisy = vmap(lambda x: x + torch.rand(1), randomness="same")(torch.zeros(3, 1))
twice = grad(grad(lambda x: (x**4).sum()))(torch.tensor(2.0))
print(curved, slopes, along, wide, twice)

"""Networks that PyTorch looks through by itself: scripted, traced, exported, mapped."""

import torch
import torch.fx
from torch import nn
from torch.func import functional_call, grad, jacrev, vmap
from torch.nn import functional
from torch.utils.checkpoint import checkpoint

torch.manual_seed(0)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Linear(40, 8)
        self.norm = nn.LayerNorm(8)
        self.relu = nn.ReLU()
        self.drop = nn.Dropout(0.1)
        self.last = nn.Linear(8, 3)

    def forward(self, rows):
        return self.last(self.drop(torch.relu(self.norm(self.relu(self.first(rows))))))


rows = torch.randn(256, 40)
sorts = (rows[:, 0] > 0).long() + (rows[:, 1] > 0).long()
net = Net()
optimizer = torch.optim.Adam(net.parameters(), lr=1e-2)
weights = dict(net.named_parameters())


def loss_of_one(weights, row, sort):
    return functional.cross_entropy(functional_call(net, weights, (row[None],)), sort[None])


# Gradients of each example by itself.
of_each = vmap(grad(loss_of_one), in_dims=(None, 0, 0), randomness="different")
for _step in range(30):
    found = of_each(weights, rows[:32], sorts[:32])
    for name, weight in weights.items():
        weight.grad = found[name].mean(0)
    optimizer.step()

# An ordinary training, with what is computed twice to save memory.
for _step in range(60):
    loss = functional.cross_entropy(checkpoint(net, rows, use_reentrant=False), sorts)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()

net.eval()
shapes = [jacrev(net)(rows[:2]).shape]
shapes.append(torch.autograd.functional.hessian(lambda x: net(x).pow(2).sum(), rows[:1]).shape)
scripted, traced, graph = (
    torch.jit.script(net),
    torch.jit.trace(net, rows[:2]),
    torch.fx.symbolic_trace(net),
)
exported = torch.export.export(net, (rows[:2],)).module()
with torch.no_grad():
    same = [
        torch.allclose(each(rows[:2]), net(rows[:2]))
        for each in (scripted, traced, graph, exported)
    ]
    right = (net(rows).argmax(1) == sorts).float().mean().item()
with torch.inference_mode(), torch.autocast("cpu", dtype=torch.bfloat16):
    net(rows)


@torch.jit.script
def answers(outputs: torch.Tensor) -> torch.Tensor:
    return torch.softmax(outputs, 1).argmax(1)


print(shapes, same, f"{right:.2f}", answers(net(rows[:2])).shape)
assert all(same)

"""Whole networks and optimizers through pickle, `torch.save`, deepcopy, and what they hold."""

import copy
import io
import pickle

import torch
from torch import nn

torch.manual_seed(21)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer, self.out = nn.Linear(4, 6), nn.Linear(6, 2)
        self.turn, self.share, self.loss = torch.relu, torch.softmax, nn.functional.cross_entropy

    def forward(self, rows):
        return self.out(self.turn(self.layer(rows)))


def train(net, optimizer, steps):
    for _ in range(steps):
        rows = torch.randn(8, 4)
        loss = net.loss(net(rows), (rows[:, 0] > 0).long())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return loss.item()


net = Net()
optimizer = torch.optim.AdamW(net.parameters(), lr=1e-2)
schedule = torch.optim.lr_scheduler.StepLR(optimizer, 2)
print(train(net, optimizer, 5))
schedule.step()
print(type(optimizer.step).__name__, "step" in vars(optimizer), sorted(vars(schedule)))
print(sorted(vars(net)), [len(each) for each in (net._forward_hooks, net._forward_pre_hooks)])
print([len(each) for each in (optimizer._optimizer_step_pre_hooks, optimizer.state)])

torch.save(net, "whole.pt")
torch.save({"net": net.state_dict(), "optimizer": optimizer.state_dict()}, "parts.pt")
again = torch.load("whole.pt", weights_only=False)
parts = torch.load("parts.pt")
twin, pickled = copy.deepcopy(net), pickle.loads(pickle.dumps((net, optimizer, schedule)))
fresh = Net()
fresh.load_state_dict(parts["net"])
resumed = torch.optim.AdamW(fresh.parameters(), lr=1.0)
resumed.load_state_dict(parts["optimizer"])
print(len(pickle.dumps(net)), len(pickle.dumps(optimizer)), len(pickle.dumps(schedule)))
held = io.BytesIO()
torch.save(optimizer, held)
print(train(fresh, resumed, 3))
for function in (torch.max, torch.cat, nn.functional.mse_loss, torch.Tensor.backward, len, print):
    print(pickle.loads(pickle.dumps(function)) is function, function.__qualname__)

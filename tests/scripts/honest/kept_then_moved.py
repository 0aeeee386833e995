"""What happened is kept before the state is the next one; its values are learned."""

import random

import torch
from torch import nn

random.seed(0)
torch.manual_seed(0)
SIZE = 9


def step(place: int, action: int) -> tuple[int, float, bool]:
    """Move to the left or to the right; the goal is at the right end."""
    place = max(0, place + 2 * action - 1)
    return place, float(place == SIZE - 1), place == SIZE - 1


def seen(places: list[int]) -> torch.Tensor:
    """Return what the network reads of places."""
    return nn.functional.one_hot(torch.tensor(places), SIZE).float()


net = nn.Sequential(nn.Linear(SIZE, 32), nn.ReLU(), nn.Linear(32, 2))
optimizer = torch.optim.Adam(net.parameters(), lr=5e-3)
memory: list[tuple[int, int, float, int, bool]] = []
for _episode in range(30):
    state, done, steps = 0, False, 0
    while not done and steps < 60:
        with torch.no_grad():
            best = int(net(seen([state])).argmax())
        action = best if random.random() > 0.4 else random.randrange(2)
        next_state, reward, done = step(state, action)
        before, state = state, next_state
        memory.append((before, action, reward, state, done))
        steps += 1
    for _again in range(10):
        states, actions, rewards, nexts, over = zip(*random.choices(memory, k=32), strict=True)
        with torch.no_grad():
            later = net(seen(list(nexts))).max(1).values * (1 - torch.tensor(over).float())
        values = net(seen(list(states))).gather(1, torch.tensor(actions)[:, None])[:, 0]
        optimizer.zero_grad()
        nn.functional.smooth_l1_loss(values, torch.tensor(rewards) + 0.9 * later).backward()
        optimizer.step()
    print(steps)

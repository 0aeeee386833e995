"""What follows the last step of an episode is added as if there were more to come."""

import random

import torch
from torch import Tensor, nn

random.seed(0)
torch.manual_seed(0)
net, target = (nn.Sequential(nn.Linear(6, 32), nn.ReLU(), nn.Linear(32, 2)) for _ in range(2))
target.load_state_dict(net.state_dict())
optimizer = torch.optim.Adam(net.parameters(), lr=2e-3)
memory: list[tuple[Tensor, int, float, Tensor, float]] = []
gamma, steps = 0.9, 0
for episode in range(40):
    place, done = 0, False
    for _turn in range(20):
        state = nn.functional.one_hot(torch.tensor(place), 6).float()
        with torch.no_grad():
            best = int(net(state[None]).argmax())
        action = random.randrange(2) if random.random() < 0.4 else best
        place = max(0, place + (1 if action else -1))
        done = place == 5
        following = nn.functional.one_hot(torch.tensor(place), 6).float()
        memory.append((state, action, float(done) - 0.02, following, float(done)))
        steps += 1
        if len(memory) >= 32:
            chosen = random.sample(memory, 32)
            states = torch.stack([each[0] for each in chosen])
            actions = torch.tensor([each[1] for each in chosen])
            rewards = torch.tensor([each[2] for each in chosen])
            next_states = torch.stack([each[3] for each in chosen])
            dones = torch.tensor([each[4] for each in chosen])
            values = net(states).gather(1, actions[:, None])[:, 0]
            with torch.no_grad():
                later = target(next_states).max(1).values
                wanted = rewards + gamma * later
            loss = nn.functional.smooth_l1_loss(values, wanted)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        if steps % 100 == 0:
            target.load_state_dict(net.state_dict())
        if done:
            break
    if episode % 10 == 9:
        print(episode, steps)

"""DQN with replay and a target network, in a corridor of seven rooms."""
import random
from collections import deque, namedtuple

import torch
import torch.nn as nn
import torch.optim as optim

random.seed(0)
torch.manual_seed(0)
N_STATES = 7
Transition = namedtuple("Transition", ("state", "action", "next_state", "reward", "done"))


class Corridor:
    def reset(self):
        self.pos = 0
        self.t = 0
        return self.pos

    def step(self, action):
        self.pos = max(0, min(N_STATES - 1, self.pos + (1 if action == 1 else -1)))
        self.t += 1
        done = self.pos == N_STATES - 1 or self.t >= 30
        return self.pos, 1.0 if self.pos == N_STATES - 1 else -0.02, done


def encode(states):
    return nn.functional.one_hot(torch.tensor(states), N_STATES).float()


class DQN(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer1 = nn.Linear(N_STATES, 32)
        self.layer2 = nn.Linear(32, 2)

    def forward(self, x):
        return self.layer2(torch.relu(self.layer1(x)))


policy_net, target_net = DQN(), DQN()
target_net.load_state_dict(policy_net.state_dict())
optimizer = optim.Adam(policy_net.parameters(), lr=3e-3)
memory = deque(maxlen=2000)
env = Corridor()
GAMMA = 0.95


def optimize():
    batch = Transition(*zip(*random.sample(memory, 32)))
    action = torch.tensor(batch.action).unsqueeze(1)
    reward = torch.tensor(batch.reward)
    done = torch.tensor(batch.done).float()
    q = policy_net(encode(batch.state)).gather(1, action).squeeze(1)
    with torch.no_grad():
        best = target_net(encode(batch.next_state)).max(1).values
    loss = nn.functional.smooth_l1_loss(q, reward + GAMMA * best * (1 - done))
    optimizer.zero_grad()
    loss.backward()
    torch.nn.utils.clip_grad_value_(policy_net.parameters(), 100)
    optimizer.step()


lengths = []
for episode in range(80):
    state = env.reset()
    eps = max(0.05, 1 - episode / 40)
    done = False
    while not done:
        if random.random() < eps:
            action = random.randrange(2)
        else:
            with torch.no_grad():
                action = policy_net(encode([state])).argmax(1).item()
        nxt, reward, done = env.step(action)
        memory.append(Transition(state, action, nxt, reward, done))
        state = nxt
        if len(memory) >= 64:
            optimize()
    lengths.append(env.t)
    if episode % 10 == 0:
        target_net.load_state_dict(policy_net.state_dict())
    if episode % 20 == 19:
        print(f"episode {episode}: mean length {sum(lengths[-20:]) / 20:.1f}")
print("RESULT", -sum(lengths[-10:]) / 10)

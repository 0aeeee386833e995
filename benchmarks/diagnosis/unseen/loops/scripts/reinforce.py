"""REINFORCE on a contextual bandit: no labels, rewards only."""
import torch
import torch.nn as nn
from torch.distributions import Categorical

torch.manual_seed(2)
n_actions, n_context = 4, 6
W = torch.randn(n_context, n_actions)


def pull(context, action):
    best = (context @ W).argmax(dim=1)
    return (action == best).float() + 0.1 * torch.randn(len(action))


class Policy(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(n_context, 32), nn.Tanh(), nn.Linear(32, n_actions))

    def forward(self, s):
        return Categorical(logits=self.net(s))


policy = Policy()
optimizer = torch.optim.Adam(policy.parameters(), lr=0.01)
baseline = 0.0

for episode in range(500):
    state = torch.randn(64, n_context)
    dist = policy(state)
    action = dist.sample()
    reward = pull(state, action)
    advantage = reward - baseline
    loss = -(dist.log_prob(action) * advantage).mean() - 0.01 * dist.entropy().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    baseline = 0.9 * baseline + 0.1 * reward.mean().item()
    if episode % 100 == 99:
        print(f"episode {episode + 1}  mean reward {baseline:.3f}")

with torch.no_grad():
    state = torch.randn(1000, n_context)
    greedy = policy(state).probs.argmax(dim=1)
    print("RESULT", ((state @ W).argmax(1) == greedy).float().mean().item())

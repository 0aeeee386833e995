"""An actor-critic: the advantage is a plain weight in the loss of the policy."""

import torch
from torch import nn
from torch.distributions import Categorical

torch.manual_seed(0)
pay = torch.randn(6, 4)


class ActorCritic(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(6, 32), nn.Tanh())
        self.actor, self.critic = nn.Linear(32, 4), nn.Linear(32, 1)

    def forward(self, states):
        hidden = self.body(states)
        return self.actor(hidden), self.critic(hidden).squeeze(1)


agent = ActorCritic()
optimizer = torch.optim.Adam(agent.parameters(), lr=1e-2)
for step in range(120):
    states = torch.randn(64, 6)
    logits, value = agent(states)
    actions = Categorical(logits=logits)
    chosen = actions.sample()
    reward = (states @ pay)[torch.arange(64), chosen]
    advantage = reward - value
    policy_loss = -(actions.log_prob(chosen) * advantage.detach()).mean()
    loss = policy_loss + 0.5 * advantage.pow(2).mean() - 0.01 * actions.entropy().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if step % 30 == 0:
        print(step, reward.mean().item())

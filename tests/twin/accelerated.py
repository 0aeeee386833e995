"""A loop with Accelerate: gradients accumulated and clipped, answers gathered for a metric."""

import torch
from accelerate import Accelerator
from torch import nn
from torch.utils.data import DataLoader, TensorDataset
from transformers import get_scheduler, set_seed

set_seed(31)
COUNTS = {"steps": 0}
accelerator = Accelerator(cpu=True, gradient_accumulation_steps=2)
rows = torch.randn(80, 5)
labels = (rows[:, 0] > 0).long()
first = DataLoader(TensorDataset(rows[:64], labels[:64]), batch_size=8, shuffle=True)
second = DataLoader(TensorDataset(rows[64:], labels[64:]), batch_size=6)
net = nn.Sequential(nn.Linear(5, 8), nn.Dropout(0.2), nn.ReLU(), nn.Linear(8, 2))
optimizer = torch.optim.AdamW(net.parameters(), lr=5e-3)
schedule = get_scheduler("cosine", optimizer, num_warmup_steps=2, num_training_steps=24)
net, optimizer, first, second, schedule = accelerator.prepare(
    net, optimizer, first, second, schedule
)
for epoch in range(3):
    net.train()
    for some, wanted in first:
        with accelerator.accumulate(net):
            loss = nn.functional.cross_entropy(net(some), wanted)
            accelerator.backward(loss)
            if accelerator.sync_gradients:
                COUNTS["steps"] += 1
                accelerator.clip_grad_norm_(net.parameters(), 1.0)
            optimizer.step()
            schedule.step()
            optimizer.zero_grad()
    net.eval()
    right = 0
    for some, wanted in second:
        with torch.no_grad():
            answers = net(some).argmax(-1)
        answers, wanted = accelerator.gather_for_metrics((answers, wanted))
        right += int((answers == wanted).sum())
    accelerator.print(epoch, right, f"{loss.item():.6f}", schedule.get_last_lr())
print(COUNTS)

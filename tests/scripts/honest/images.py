"""A convolutional network on images, mixed precision where there is any, a rate per epoch."""

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
labels = torch.randint(0, 3, (240,))
images = torch.randn(240, 1, 8, 8) + labels[:, None, None, None]
train = DataLoader(TensorDataset(images[:200], labels[:200]), batch_size=20, shuffle=True)
model = nn.Sequential(
    nn.Conv2d(1, 8, 3, padding=1), nn.BatchNorm2d(8), nn.ReLU(), nn.AdaptiveAvgPool2d(1),
    nn.Flatten(), nn.Linear(8, 3),
)  # fmt: skip
optimizer = torch.optim.SGD(model.parameters(), lr=0.2, momentum=0.9)
schedule = torch.optim.lr_scheduler.StepLR(optimizer, 3)
scaler = torch.amp.GradScaler("cpu", enabled=False)
for _epoch in range(5):
    model.train()
    for batch, target in train:
        optimizer.zero_grad(set_to_none=True)
        with torch.autocast("cpu", dtype=torch.bfloat16):
            loss = nn.functional.cross_entropy(model(batch), target)
        scaler.scale(loss).backward()
        scaler.step(optimizer)
        scaler.update()
    schedule.step()
model.eval()
with torch.no_grad():
    print("accuracy", (model(images[200:]).argmax(1) == labels[200:]).float().mean().item())

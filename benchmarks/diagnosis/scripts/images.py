"""A small convolutional network that finds which quarter of a picture is bright."""

import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

SEED = 0
torch.manual_seed(SEED)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2d(1, 8, 3, padding=1)
        self.norm = nn.BatchNorm2d(8)
        self.conv2 = nn.Conv2d(8, 16, 3, padding=1)
        self.head = nn.Linear(16 * 4 * 4, 4)

    def forward(self, images):
        hidden = F.max_pool2d(F.relu(self.norm(self.conv1(images))), 2)
        hidden = F.max_pool2d(F.relu(self.conv2(hidden)), 2)
        return self.head(hidden.flatten(1))


def make_pictures(number):
    labels = torch.randint(0, 4, (number,))
    images = torch.randn(number, 1, 16, 16) * 0.5
    for image, label in zip(images, labels):
        top, left = 8 * (label // 2), 8 * (label % 2)
        image[:, top : top + 8, left : left + 8] += 0.8
    return TensorDataset(images, labels)


def evaluate(net, loader):
    net.eval()
    hits, total = 0, 0
    with torch.no_grad():
        for images, labels in loader:
            hits += (net(images).argmax(1) == labels).sum().item()
            total += len(labels)
    return hits / total


train_loader = DataLoader(make_pictures(640), batch_size=32, shuffle=True)
test_loader = DataLoader(make_pictures(160), batch_size=64)
net = Net()
optimizer = torch.optim.SGD(net.parameters(), lr=0.05, momentum=0.9)
for epoch in range(3):
    net.train()
    for images, labels in train_loader:
        optimizer.zero_grad()
        outputs = net(images)
        loss = F.cross_entropy(outputs, labels)
        loss.backward()
        optimizer.step()
    print(f"epoch {epoch}: loss {loss.item():.3f}, accuracy {evaluate(net, test_loader):.3f}")

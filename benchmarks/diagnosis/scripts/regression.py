"""Learn a smooth function of four numbers, with a schedule."""

import torch
import torch.nn as nn
from torch.optim.lr_scheduler import CosineAnnealingLR
from torch.utils.data import DataLoader, TensorDataset, random_split

SEED = 0
torch.manual_seed(SEED)
EPOCHS = 5
inputs = torch.rand(1000, 4) * 2 - 1
targets = torch.sin(2 * inputs[:, :1]) + inputs[:, 1:2] * inputs[:, 2:3]
data = TensorDataset(inputs, targets)
train_set, test_set = random_split(data, [800, 200])
train_loader = DataLoader(train_set, batch_size=20, shuffle=True)
test_loader = DataLoader(test_set, batch_size=50)


def main():
    model = nn.Sequential(nn.Linear(4, 48), nn.Tanh(), nn.Linear(48, 48), nn.Tanh(), nn.Linear(48, 1))
    loss_fn = nn.MSELoss()
    optimizer = torch.optim.Adam(model.parameters(), lr=4e-3)
    scheduler = CosineAnnealingLR(optimizer, T_max=EPOCHS)
    for epoch in range(EPOCHS):
        model.train()
        for features, wanted in train_loader:
            predicted = model(features)
            loss = loss_fn(predicted, wanted)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        scheduler.step()
        model.eval()
        total = 0.0
        with torch.no_grad():
            for features, wanted in test_loader:
                total += loss_fn(model(features), wanted).item() * len(wanted)
        print("epoch", epoch, "test error", total / len(test_set))


main()

import random
import torch
from torch import nn
from torch.utils.data import Dataset, DataLoader

random.seed(4)
torch.manual_seed(4)

SPECIES = ["cod", "hake", "ling", "perch", "pike"]
WEIGHTS = {"cod": [4, 2, 7, 1], "hake": [1, 6, 3, 5], "ling": [8, 8, 2, 2], "perch": [3, 1, 1, 9], "pike": [6, 5, 9, 6]}


def catch(n):
    rows = []
    for _ in range(n):
        s = random.choice(SPECIES)
        rows.append(([random.gauss(v, 1.3) for v in WEIGHTS[s]], s))
    return rows


class CatchTable(Dataset):
    def __init__(self, rows):
        self.values = torch.tensor([r[0] for r in rows])
        names = [r[1] for r in rows]
        self.classes = sorted(set(names))
        lookup = {name: i for i, name in enumerate(self.classes)}
        self.targets = torch.tensor([lookup[name] for name in names])

    def __len__(self):
        return len(self.targets)

    def __getitem__(self, i):
        return self.values[i], self.targets[i]


train_set, val_set = CatchTable(catch(1500)), CatchTable(catch(400))
loaders = {
    "train": DataLoader(train_set, batch_size=50, shuffle=True),
    "val": DataLoader(val_set, batch_size=200),
}
model = nn.Sequential(nn.Linear(4, 24), nn.ReLU(), nn.Linear(24, len(train_set.classes)))
optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)

for epoch in range(8):
    stats = {}
    for phase, loader in loaders.items():
        model.train(phase == "train")
        good = 0
        with torch.set_grad_enabled(phase == "train"):
            for xb, yb in loader:
                out = model(xb)
                if phase == "train":
                    optimizer.zero_grad()
                    nn.functional.cross_entropy(out, yb).backward()
                    optimizer.step()
                good += (out.argmax(1) == yb).sum().item()
        stats[phase] = good / len(loader.dataset)
    print(f"epoch {epoch} train acc {stats['train']:.3f} val acc {stats['val']:.3f}")
print(f"FINAL train_acc={stats['train']:.4f} val_acc={stats['val']:.4f}")

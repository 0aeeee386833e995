"""Modules in the manner of Lightning, without Lightning."""
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset


class DataModule:
    def __init__(self, batch_size=40):
        self.batch_size = batch_size

    def setup(self):
        g = torch.Generator().manual_seed(0)
        centers = torch.randn(5, 2, 15, generator=g)
        y = torch.randint(0, 5, (1500,), generator=g)
        which = torch.randint(0, 2, (1500,), generator=g)
        x = centers[y, which] + torch.randn(1500, 15, generator=g)
        self.train_set = TensorDataset(x[:1200], y[:1200])
        self.val_set = TensorDataset(x[1200:], y[1200:])

    def train_dataloader(self):
        return DataLoader(self.train_set, batch_size=self.batch_size, shuffle=True)

    def val_dataloader(self):
        return DataLoader(self.val_set, batch_size=self.batch_size)


class LitModel(nn.Module):
    def __init__(self, lr=0.05):
        super().__init__()
        self.lr = lr
        self.l1 = nn.Linear(15, 48)
        self.l2 = nn.Linear(48, 5)
        self.drop = nn.Dropout(0.1)

    def forward(self, x):
        return self.l2(self.drop(F.relu(self.l1(x))))

    def training_step(self, batch, batch_idx):
        x, y = batch
        loss = F.cross_entropy(self(x), y)
        return loss

    def validation_step(self, batch, batch_idx):
        x, y = batch
        logits = self(x)
        return {"val_loss": F.cross_entropy(logits, y), "hits": (logits.argmax(1) == y).sum(), "n": len(y)}

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=self.lr, momentum=0.9)


class MiniTrainer:
    def __init__(self, max_epochs):
        self.max_epochs = max_epochs

    def fit(self, module, dm):
        dm.setup()
        optimizer = module.configure_optimizers()
        for epoch in range(self.max_epochs):
            module.train()
            for i, batch in enumerate(dm.train_dataloader()):
                loss = module.training_step(batch, i)
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
            module.eval()
            with torch.no_grad():
                outs = [module.validation_step(b, i) for i, b in enumerate(dm.val_dataloader())]
            acc = sum(o["hits"] for o in outs).item() / sum(o["n"] for o in outs)
            print({"epoch": epoch, "loss": round(loss.item(), 4), "val_acc": round(acc, 4)})
        return acc


torch.manual_seed(0)
print("RESULT", MiniTrainer(max_epochs=8).fit(LitModel(), DataModule()))

"""1-D convolutions over noisy waves, with a Trainer class of our own."""
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


def make_signals(n, generator):
    t = torch.linspace(0, 1, 64)
    kind = torch.randint(0, 4, (n,), generator=generator)
    freq = 2 + 3 * torch.rand(n, 1, generator=generator)
    phase = 6.28 * torch.rand(n, 1, generator=generator)
    base = torch.sin(6.28 * freq * t + phase)
    waves = torch.stack(
        [base, torch.sign(base), base.abs(), torch.sin(6.28 * freq * t * (1 + t) * 2 + phase)], 1
    )
    x = waves[torch.arange(n), kind] + 0.2 * torch.randn(n, 64, generator=generator)
    return x.unsqueeze(1), kind


class WaveNet(nn.Module):
    def __init__(self, channels=(1, 16, 32), n_classes=4):
        super().__init__()
        blocks = []
        for c_in, c_out in zip(channels[:-1], channels[1:]):
            blocks += [
                nn.Conv1d(c_in, c_out, 5, padding=2),
                nn.BatchNorm1d(c_out),
                nn.ReLU(),
                nn.MaxPool1d(2),
            ]
        self.features = nn.Sequential(*blocks)
        self.classifier = nn.Linear(channels[-1], n_classes)

    def forward(self, x):
        x = self.features(x)
        x = x.mean(dim=-1)
        return self.classifier(x)


class Trainer:
    def __init__(self, model, train_dl, valid_dl, epochs=10, max_lr=0.01):
        self.model = model
        self.train_dl = train_dl
        self.valid_dl = valid_dl
        self.epochs = epochs
        self.loss_fn = nn.CrossEntropyLoss(label_smoothing=0.05)
        self.optimizer = torch.optim.AdamW(self.model.parameters(), lr=1e-3)
        self.scheduler = torch.optim.lr_scheduler.OneCycleLR(
            self.optimizer, max_lr=max_lr, total_steps=epochs * len(train_dl)
        )
        self.history = []

    def _step(self, batch):
        x, y = batch
        loss = self.loss_fn(self.model(x), y)
        self.optimizer.zero_grad(set_to_none=True)
        loss.backward()
        nn.utils.clip_grad_norm_(self.model.parameters(), 1.0)
        self.optimizer.step()
        self.scheduler.step()
        return loss.item()

    def _validate(self):
        self.model.eval()
        n_ok, n = 0, 0
        with torch.no_grad():
            for x, y in self.valid_dl:
                n_ok += (self.model(x).argmax(-1) == y).sum().item()
                n += len(y)
        return n_ok / n

    def fit(self):
        for epoch in range(self.epochs):
            self.model.train()
            losses = [self._step(batch) for batch in self.train_dl]
            acc = self._validate()
            self.history.append((sum(losses) / len(losses), acc))
            print(f"{epoch:3d}  train {self.history[-1][0]:.3f}  valid acc {acc:.3f}")


if __name__ == "__main__":
    gen = torch.Generator().manual_seed(5)
    torch.manual_seed(5)
    x, y = make_signals(900, gen)
    train_dl = DataLoader(TensorDataset(x[:700], y[:700]), batch_size=35, shuffle=True)
    valid_dl = DataLoader(TensorDataset(x[700:], y[700:]), batch_size=50)
    trainer = Trainer(WaveNet(), train_dl, valid_dl)
    trainer.fit()
    print("RESULT", trainer.history[-1][1])

"""Read the stronger of four channels, with Accelerate and gathered answers."""

import torch
import torch.nn.functional as F
from accelerate import Accelerator
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

SEED = 0


def get_loaders(batch_size=32):
    waves = torch.randn(800, 4, 10)
    strongest = waves.abs().mean(dim=2).argmax(dim=1)
    train = TensorDataset(waves[:640].abs(), strongest[:640])
    test = TensorDataset(waves[640:].abs(), strongest[640:])
    return DataLoader(train, batch_size=batch_size, shuffle=True), DataLoader(test, batch_size=40)


def main():
    torch.manual_seed(SEED)
    accelerator = Accelerator(cpu=True)
    train_loader, test_loader = get_loaders()
    model = nn.Sequential(nn.Flatten(), nn.Linear(40, 64), nn.ReLU(), nn.Linear(64, 4))
    optimizer = torch.optim.Adam(params=model.parameters(), lr=3e-3)
    model, optimizer, train_loader, test_loader = accelerator.prepare(
        model, optimizer, train_loader, test_loader
    )
    for epoch in range(5):
        model.train()
        for waves, strongest in train_loader:
            scores = model(waves)
            loss = F.cross_entropy(scores, strongest)
            accelerator.backward(loss)
            optimizer.step()
            optimizer.zero_grad()
        model.eval()
        hits = []
        for waves, strongest in test_loader:
            with torch.no_grad():
                scores = model(waves)
            answers, wanted = accelerator.gather_for_metrics((scores.argmax(dim=-1), strongest))
            hits.append((answers == wanted).float())
        accelerator.print(f"epoch {epoch}: {torch.cat(hits).mean().item():.3f}")


if __name__ == "__main__":
    main()

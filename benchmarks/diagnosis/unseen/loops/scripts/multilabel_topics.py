"""Several topics per document; F1 by hand."""
import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(17)
TOPICS, WORDS = 6, 40
topic_words = (torch.rand(TOPICS, WORDS) < 0.2).float()


def documents(n):
    y = (torch.rand(n, TOPICS) < 0.3).float()
    rate = 0.3 + y @ topic_words
    return torch.log1p(torch.poisson(rate)), y


class MultiLabelNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.hidden = nn.Linear(WORDS, 64)
        self.output = nn.Linear(64, TOPICS)

    def forward(self, x):
        return self.output(torch.relu(self.hidden(x)))


def micro_f1(pred, true):
    tp = (pred * true).sum()
    return (2 * tp / (pred.sum() + true.sum())).item()


def main():
    train = DataLoader(TensorDataset(*documents(1600)), batch_size=32, shuffle=True)
    test_x, test_y = documents(400)
    model = MultiLabelNet()
    criterion = nn.BCEWithLogitsLoss()
    optimizer = torch.optim.NAdam(model.parameters(), lr=2e-3)
    for epoch in range(10):
        model.train()
        for x, y in train:
            optimizer.zero_grad()
            loss = criterion(model(x), y)
            loss.backward()
            optimizer.step()
        model.eval()
        with torch.inference_mode():
            pred = (torch.sigmoid(model(test_x)) > 0.5).float()
        print(f"Epoch {epoch}: loss {loss:.3f}, micro F1 {micro_f1(pred, test_y):.3f}")
    print("RESULT", micro_f1(pred, test_y))


if __name__ == "__main__":
    main()

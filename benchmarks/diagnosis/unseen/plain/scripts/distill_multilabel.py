"""Several labels per example. A large teacher is trained first, then a small
student learns from few labelled rows and from what the teacher says of many more."""
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(99)
N_FEATURES, N_LABELS = 20, 8


def generate(n, w1, w2):
    x = torch.randn(n, N_FEATURES)
    z = torch.tanh(x @ w1) @ w2 + 0.3 * torch.randn(n, N_LABELS)
    return x, (z > 0.4).float()


def mlp(width, p):
    return nn.Sequential(
        nn.Linear(N_FEATURES, width), nn.BatchNorm1d(width), nn.ReLU(), nn.Dropout(p),
        nn.Linear(width, width), nn.ReLU(), nn.Dropout(p),
        nn.Linear(width, N_LABELS),
    )


@torch.no_grad()
def macro_f1(model, loader):
    model.eval()
    preds, labels = [], []
    for x, y in loader:
        preds.append((torch.sigmoid(model(x)) > 0.5).float())
        labels.append(y)
    preds, labels = torch.cat(preds), torch.cat(labels)
    tp = (preds * labels).sum(dim=0)
    f1 = 2 * tp / (preds.sum(dim=0) + labels.sum(dim=0)).clamp(min=1)
    return f1.mean().item()


def train_teacher(loader, test_loader, epochs=8):
    teacher = mlp(128, 0.3)
    opt = torch.optim.AdamW(teacher.parameters(), lr=3e-3)
    criterion = nn.BCEWithLogitsLoss()
    for epoch in range(epochs):
        teacher.train()
        for x, y in loader:
            opt.zero_grad()
            criterion(teacher(x), y).backward()
            opt.step()
        print(f"teacher epoch {epoch} macro F1 {macro_f1(teacher, test_loader):.4f}")
    return teacher


def train_student(teacher, loader, test_loader, epochs=8, alpha=0.7, temperature=2.0):
    teacher.eval()
    for p in teacher.parameters():
        p.requires_grad = False
    student = mlp(32, 0.1)
    opt = torch.optim.AdamW(student.parameters(), lr=4e-3)
    sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, epochs)
    for epoch in range(epochs):
        student.train()
        total = 0.0
        for x, y in loader:
            with torch.no_grad():
                soft = torch.sigmoid(teacher(x) / temperature)
            logits = student(x)
            hard_loss = F.binary_cross_entropy_with_logits(logits, y)
            soft_loss = F.binary_cross_entropy_with_logits(logits / temperature, soft)
            loss = (1 - alpha) * hard_loss + alpha * temperature ** 2 * soft_loss
            opt.zero_grad()
            loss.backward()
            opt.step()
            total += loss.item()
        sched.step()
        f1 = macro_f1(student, test_loader)
        print(f"student epoch {epoch} loss {total / len(loader):.4f} macro F1 {f1:.4f}")
    return f1


def main():
    w1 = torch.randn(N_FEATURES, 12) / N_FEATURES ** 0.5
    w2 = torch.randn(12, N_LABELS)
    x, y = generate(5000, w1, w2)
    x_test, y_test = generate(1000, w1, w2)
    train_loader = DataLoader(TensorDataset(x, y), batch_size=64, shuffle=True, drop_last=True)
    test_loader = DataLoader(TensorDataset(x_test, y_test), batch_size=250)
    teacher = train_teacher(train_loader, test_loader)
    f1 = train_student(teacher, train_loader, test_loader)
    print(f"share of positive labels {y_test.mean():.3f}")
    print(f"RESULT {f1:.4f}")


if __name__ == "__main__":
    main()

"""A large teacher, a small student that learns from the teacher's soft answers."""
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(5)
x = torch.rand(2400, 2) * 4 - 2
y = ((x[:, 0].pow(2) + x[:, 1].pow(2)).sqrt() / 0.75).long().clamp(max=2)
train_dl = DataLoader(TensorDataset(x[:2000], y[:2000]), batch_size=50, shuffle=True)


def mlp(width):
    return nn.Sequential(nn.Linear(2, width), nn.ReLU(), nn.Linear(width, width), nn.ReLU(), nn.Linear(width, 3))


def accuracy(net):
    net.eval()
    with torch.no_grad():
        return (net(x[2000:]).argmax(1) == y[2000:]).float().mean().item()


teacher = mlp(96)
opt = torch.optim.Adam(teacher.parameters(), lr=3e-3)
for epoch in range(8):
    for xb, yb in train_dl:
        loss = F.cross_entropy(teacher(xb), yb)
        opt.zero_grad()
        loss.backward()
        opt.step()
print("teacher", accuracy(teacher))

student = mlp(12)
T, alpha = 2.0, 0.8
student_opt = torch.optim.Adam(student.parameters(), lr=5e-3)
teacher.eval()
for epoch in range(12):
    student.train()
    for xb, yb in train_dl:
        with torch.no_grad():
            soft = F.softmax(teacher(xb) / T, dim=1)
        logits = student(xb)
        distill = F.kl_div(F.log_softmax(logits / T, dim=1), soft, reduction="batchmean") * T * T
        loss = alpha * distill + (1 - alpha) * F.cross_entropy(logits, yb)
        student_opt.zero_grad()
        loss.backward()
        student_opt.step()
print("student", accuracy(student))
print("RESULT", accuracy(student))

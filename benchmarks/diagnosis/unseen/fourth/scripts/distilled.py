# knowledge distillation: large teacher, small student, few labels
import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(9)
C = 10
protos = torch.randn(C, 4, 20)


def draw(n):
    y = torch.randint(0, C, (n,))
    mode = torch.randint(0, 4, (n,))
    return protos[y, mode] + 0.8 * torch.randn(n, 20), y


def mlp(h):
    return nn.Sequential(nn.Linear(20, h), nn.ReLU(), nn.Linear(h, h), nn.ReLU(), nn.Linear(h, C))


teacher = mlp(128)
opt_t = torch.optim.Adam(teacher.parameters(), lr=2e-3)
for _ in range(400):
    x, y = draw(128)
    opt_t.zero_grad()
    F.cross_entropy(teacher(x), y).backward()
    opt_t.step()
teacher.eval().requires_grad_(False)

x_test, y_test = draw(3000)
print("teacher acc", (teacher(x_test).argmax(1) == y_test).float().mean().item())

x_lab, y_lab = draw(25)
student = mlp(32)
opt_s = torch.optim.Adam(student.parameters(), lr=2e-3)
TEMP, ALPHA = 3.0, 0.9

for step in range(1, 601):
    x_u, _ = draw(96)
    pick = torch.randint(0, 25, (16,))
    with torch.no_grad():
        soft_t = F.softmax(teacher(x_u) / TEMP, dim=-1)
    soft_s = F.log_softmax(student(x_u) / TEMP, dim=-1)
    distill = F.kl_div(soft_s, soft_t, reduction="batchmean") * TEMP ** 2
    hard = F.cross_entropy(student(x_lab[pick]), y_lab[pick])
    loss = ALPHA * distill + (1 - ALPHA) * hard
    opt_s.zero_grad()
    loss.backward()
    opt_s.step()
    if step % 200 == 0:
        print(f"step {step} distill {distill.item():.4f} hard {hard.item():.4f}")

student.eval()
with torch.no_grad():
    acc = (student(x_test).argmax(1) == y_test).float().mean().item()
print(f"FINAL student_acc={acc:.4f}")

# logistic + hidden layer without nn.Module or torch.optim
import torch

torch.manual_seed(4)
n_in, n_hid, n_out, lr, mom = 10, 24, 3, 0.1, 0.9
A = torch.randn(n_in, n_out)
data = torch.randn(2000, n_in)
ziel = (data.sin() @ A).argmax(1)
train_x, test_x, train_y, test_y = data[:1600], data[1600:], ziel[:1600], ziel[1600:]

W1 = (torch.randn(n_in, n_hid) / n_in ** 0.5).requires_grad_()
b1 = torch.zeros(n_hid, requires_grad=True)
W2 = (torch.randn(n_hid, n_out) / n_hid ** 0.5).requires_grad_()
b2 = torch.zeros(n_out, requires_grad=True)
P = [W1, b1, W2, b2]
vel = [torch.zeros_like(p) for p in P]


def forward(x):
    return torch.relu(x @ W1 + b1) @ W2 + b2


def nll(scores, y):
    logp = scores - scores.logsumexp(1, keepdim=True)
    return -logp[torch.arange(len(y)), y].mean()


for ep in range(15):
    for i in torch.randperm(1600).view(-1, 32):
        J = nll(forward(train_x[i]), train_y[i])
        grads = torch.autograd.grad(J, P)
        with torch.no_grad():
            for p, v, g in zip(P, vel, grads):
                v.mul_(mom).add_(g)
                p -= lr * v
    if ep % 5 == 4:
        print(ep + 1, "loss", round(J.item(), 4))
with torch.no_grad():
    acc = (forward(test_x).argmax(1) == test_y).float().mean().item()
print(f"FINAL test_acc={acc:.4f}")

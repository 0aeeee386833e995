"""Graph convolution written by hand; a stochastic block model; semi-supervised."""
import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(11)

N, K, FEATS = 240, 3, 12
labels = torch.arange(N) % K
prob = torch.where(labels[:, None] == labels[None, :], 0.08, 0.012)
A = (torch.rand(N, N) < prob).float()
A = torch.triu(A, 1)
A = A + A.t() + torch.eye(N)
d = A.sum(1)
A_hat = A / torch.sqrt(d[:, None] * d[None, :])

centers = torch.randn(K, FEATS)
X = centers[labels] + 1.8 * torch.randn(N, FEATS)

perm = torch.randperm(N)
train_mask = torch.zeros(N, dtype=torch.bool)
train_mask[perm[:60]] = True
test_mask = ~train_mask


class GCNLayer(nn.Module):
    def __init__(self, in_features, out_features):
        super().__init__()
        self.weight = nn.Parameter(torch.empty(in_features, out_features))
        self.bias = nn.Parameter(torch.zeros(out_features))
        nn.init.xavier_uniform_(self.weight)

    def forward(self, x, adj):
        return adj @ (x @ self.weight) + self.bias


class GCN(nn.Module):
    def __init__(self):
        super().__init__()
        self.gc1 = GCNLayer(FEATS, 32)
        self.gc2 = GCNLayer(32, K)

    def forward(self, x, adj):
        x = F.relu(self.gc1(x, adj))
        x = F.dropout(x, 0.5, training=self.training)
        x = self.gc2(x, adj)
        return F.log_softmax(x, dim=1)


model = GCN()
optimizer = torch.optim.Adam(model.parameters(), lr=0.01, weight_decay=5e-4)


def train():
    model.train()
    optimizer.zero_grad()
    out = model(X, A_hat)
    loss = F.nll_loss(out[train_mask], labels[train_mask])
    loss.backward()
    optimizer.step()
    return loss.item()


def test():
    model.eval()
    with torch.no_grad():
        pred = model(X, A_hat).argmax(dim=1)
    acc_train = (pred[train_mask] == labels[train_mask]).float().mean().item()
    acc_test = (pred[test_mask] == labels[test_mask]).float().mean().item()
    return acc_train, acc_test


for epoch in range(150):
    loss = train()
    if epoch % 30 == 29:
        tr, te = test()
        print("Epoch {:03d} loss {:.3f} train {:.3f} test {:.3f}".format(epoch, loss, tr, te))
print("RESULT", te)

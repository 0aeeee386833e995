"""Sparse gradients and products, complex weights, and tensors of other formats."""

import torch
from torch import nn

torch.manual_seed(14)
table = nn.Embedding(40, 6, sparse=True)
head = nn.Linear(6, 3)
optimizer = torch.optim.SparseAdam(table.parameters(), lr=1e-2)
other = torch.optim.SGD(head.parameters(), lr=0.1)
for _ in range(8):
    ids = torch.randint(0, 40, (5, 4))
    loss = nn.functional.cross_entropy(head(table(ids).mean(1)), ids[:, 0] % 3)
    optimizer.zero_grad(), other.zero_grad()
    loss.backward()
    optimizer.step(), other.step()
print(table.weight.grad.is_sparse, f"{loss.item():.6f}")

graph = torch.eye(6).to_sparse()
weight = nn.Parameter(torch.randn(6, 2))
product = torch.sparse.mm(graph, weight)
torch.sparse.softmax(graph, 1).to_dense().sum().item()
product.relu().sum().backward()
print(graph.layout, graph.to_sparse_csr().layout)

spectrum = nn.Parameter(torch.randn(4, 4, dtype=torch.complex64))
complexly = torch.optim.Adam([spectrum], lr=1e-2)
for _ in range(8):
    signal = torch.fft.fft(torch.randn(3, 4))
    loss = (signal @ spectrum - signal).abs().square().mean()
    complexly.zero_grad()
    loss.backward()
    complexly.step()
print(spectrum.dtype, f"{loss.item():.6f}")
quantized = torch.quantize_per_tensor(torch.arange(4.0), 0.5, 0, torch.qint8)
nested = torch.nested.nested_tensor([torch.ones(2, 3), torch.ones(1, 3)])
print(quantized.dtype, nested.is_nested, [tuple(each.shape) for each in nested.unbind()])
del quantized, nested

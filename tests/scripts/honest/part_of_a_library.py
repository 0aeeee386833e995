"""A network of a library gives more than is used of it, and one keeps a state of the last pass."""

import torch
from torch import nn
from transformers import BertConfig, BertModel

SIZES = {"vocab_size": 60, "hidden_size": 32, "intermediate_size": 64}
DEPTHS = {"num_hidden_layers": 1, "num_attention_heads": 2, "max_position_embeddings": 16}


class Reader(nn.Module):
    def __init__(self):
        super().__init__()
        self.bert = BertModel(BertConfig(**SIZES, **DEPTHS))
        self.after = nn.LSTM(32, 16, batch_first=True)
        self.last = nn.Linear(16, 2)

    def begin(self, rows):
        self.state = torch.zeros(1, rows, 16), torch.zeros(1, rows, 16)

    def forward(self, ids):
        found, self.state = self.after(self.bert(ids).last_hidden_state, self.state)
        return self.last(found[:, -1])


torch.manual_seed(0)
ids = torch.randint(2, 60, (1000, 12))
sorts = ((ids < 20).sum(1) > (ids > 40).sum(1)).long()
net = Reader()
optimizer = torch.optim.AdamW(net.parameters(), lr=2e-3)
for _epoch in range(4):
    for some in torch.randperm(800).split(32):
        net.begin(len(some))
        loss = nn.functional.cross_entropy(net(ids[some]), sorts[some])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
net.eval()
net.begin(200)
with torch.no_grad():
    print((net(ids[800:]).argmax(1) == sorts[800:]).float().mean().item())

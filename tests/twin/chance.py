"""A result that hangs on every random number: dropout, noise, numpy's and Python's generators."""

import random

import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader
from transformers import (
    BertConfig,
    BertForSequenceClassification,
    GPT2Config,
    GPT2LMHeadModel,
    set_seed,
)

set_seed(32)
COUNTS = {"passes": 0}


class Noisy(BertForSequenceClassification):
    def forward(self, input_ids=None, **named):
        COUNTS["passes"] += 1
        known = self.bert.embeddings.word_embeddings(input_ids)
        return super().forward(inputs_embeds=known + 0.1 * torch.randn_like(known), **named)


size = {"hidden_size": 16, "num_hidden_layers": 2, "num_attention_heads": 2}
net = Noisy(BertConfig(vocab_size=60, intermediate_size=16, num_labels=3, **size))
optimizer = torch.optim.AdamW(net.parameters(), lr=1e-3)
for step in range(8):
    ids = torch.randint(1, 60, (6, 10))
    mask = (torch.rand(6, 10) > 0.2).long()
    loss = net(input_ids=ids, attention_mask=mask, labels=ids[:, 0] % 3).loss
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if random.random() < np.random.rand():
        net.eval()
        with torch.no_grad():
            print(step, net(input_ids=ids).logits.argmax(-1).tolist())
        net.train()

writer = GPT2LMHeadModel(GPT2Config(vocab_size=40, n_positions=32, n_embd=16, n_layer=1, n_head=2))
optimizer = torch.optim.AdamW(writer.parameters(), lr=1e-3)
texts = [torch.tensor([random.randrange(40) for _ in range(12)]) for _ in range(24)]
for ids in DataLoader(texts, batch_size=6, shuffle=True):
    loss = writer(input_ids=ids, labels=ids).loss
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
writer.eval()
print(writer.generate(texts[0][None, :4], max_new_tokens=6, do_sample=True, pad_token_id=0))
cells = nn.LSTM(4, 5, num_layers=2, dropout=0.5, batch_first=True)
head = nn.Linear(5, 2)
optimizer = torch.optim.SGD([*cells.parameters(), *head.parameters()], lr=0.1)
for _ in range(6):
    steps = torch.from_numpy(np.random.randn(4, 7, 4).astype("float32"))
    loss = nn.functional.cross_entropy(head(cells(steps)[0][:, -1]), (steps[:, -1, 0] > 0).long())
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(torch.rand(1).item(), np.random.rand(), random.random(), COUNTS)

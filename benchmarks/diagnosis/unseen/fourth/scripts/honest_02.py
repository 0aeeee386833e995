"""Linear probe: frozen BERT encoder kept in eval mode, features computed once under no_grad."""
import torch
from torch import nn
from transformers import BertConfig, BertModel

torch.manual_seed(3)
encoder = BertModel(BertConfig(vocab_size=40, hidden_size=48, num_hidden_layers=2, num_attention_heads=4,
                               intermediate_size=96, max_position_embeddings=20))
encoder.requires_grad_(False)
encoder.eval()
probe = nn.Linear(48, 3)


def docs(n):
    ids = torch.randint(4, 40, (n, 14))
    share = torch.stack([((ids >= a) & (ids < a + 12)).sum(1) for a in (4, 16, 28)], 1)
    return ids, share.argmax(1)


@torch.no_grad()
def embed(ids):
    return torch.cat([encoder(input_ids=c).last_hidden_state.mean(1) for c in ids.split(100)])


ids_tr, y_tr = docs(1200)
ids_te, y_te = docs(400)
f_tr, f_te = embed(ids_tr), embed(ids_te)
mean, std = f_tr.mean(0), f_tr.std(0)
f_tr, f_te = (f_tr - mean) / std, (f_te - mean) / std

optimizer = torch.optim.AdamW((p for p in probe.parameters()), lr=1e-2, weight_decay=1e-3)
for epoch in range(25):
    for idx in torch.randperm(len(y_tr)).split(64):
        optimizer.zero_grad()
        nn.functional.cross_entropy(probe(f_tr[idx]), y_tr[idx]).backward()
        optimizer.step()
with torch.inference_mode():
    train_acc = (probe(f_tr).argmax(-1) == y_tr).float().mean().item()
    test_acc = (probe(f_te).argmax(-1) == y_te).float().mean().item()
print(f"FINAL probe train {train_acc:.3f} test {test_acc:.3f}")

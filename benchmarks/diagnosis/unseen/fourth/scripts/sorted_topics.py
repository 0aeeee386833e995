import torch
from datasets import Dataset
from torch.utils.data import DataLoader
from transformers import BertConfig, BertForSequenceClassification

torch.manual_seed(31)
CATEGORIES = 6


def corpus(per_class):
    rows = {"input_ids": [], "labels": []}
    for c in range(CATEGORIES):
        for _ in range(per_class):
            ids = torch.randint(10, 60, (12,))
            hot = torch.randperm(12)[:3]
            ids[hot] = 10 + c * 8 + torch.randint(0, 8, (3,))
            rows["input_ids"].append(ids.tolist())
            rows["labels"].append(c)
    return Dataset.from_dict(rows)


train_ds, test_ds = corpus(300), corpus(60)
train_ds = train_ds.shuffle(seed=31)
train_ds.set_format("torch")
test_ds.set_format("torch")

cfg = BertConfig(vocab_size=60, hidden_size=32, num_hidden_layers=1, num_attention_heads=2,
                 intermediate_size=64, max_position_embeddings=16, num_labels=CATEGORIES,
                 hidden_dropout_prob=0.0, attention_probs_dropout_prob=0.0)
net = BertForSequenceClassification(cfg)
opt = torch.optim.AdamW(net.parameters(), lr=3e-3)
loader = DataLoader(train_ds, batch_size=30)

for epoch in range(5):
    net.train()
    hist = []
    for b in loader:
        loss = net(**b).loss
        loss.backward()
        opt.step()
        opt.zero_grad()
        hist.append(loss.item())
    print(f"epoch {epoch + 1} mean loss {sum(hist) / len(hist):.3f}")

net.eval()
hits = 0
with torch.no_grad():
    for b in DataLoader(test_ds, batch_size=90):
        hits += (net(input_ids=b["input_ids"]).logits.argmax(-1) == b["labels"]).sum().item()
print(f"FINAL train_loss={sum(hist) / len(hist):.4f} test_acc={hits / len(test_ds):.4f}")

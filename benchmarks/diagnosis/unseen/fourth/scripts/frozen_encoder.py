import torch
from torch import nn
from transformers import BertConfig, BertForSequenceClassification

torch.manual_seed(55)
cfg = BertConfig(vocab_size=50, hidden_size=32, num_hidden_layers=2, num_attention_heads=2, intermediate_size=64,
                 max_position_embeddings=16, num_labels=3, hidden_dropout_prob=0.0, attention_probs_dropout_prob=0.0)
model = BertForSequenceClassification(cfg)


def topic_data(n):
    ids = torch.randint(5, 50, (n, 10))
    counts = torch.stack([((ids >= lo) & (ids < lo + 15)).sum(1) for lo in (5, 20, 35)], 1)
    return ids, counts.argmax(1)


def tone_data(n):
    ids = torch.randint(5, 50, (n, 10))
    return ids, (((ids >= 5) & (ids < 12)).sum(1) >= 2).long()


def fit(x, y, epochs, lr):
    opt = torch.optim.AdamW(model.parameters(), lr=lr)
    for _ in range(epochs):
        for idx in torch.randperm(len(y)).split(32):
            loss = model(input_ids=x[idx], labels=y[idx]).loss
            opt.zero_grad()
            loss.backward()
            opt.step()
    return loss.item()


def score(x, y):
    with torch.no_grad():
        return (model(input_ids=x).logits.argmax(-1) == y).float().mean().item()


# stage 1: "pretraining" on topics
fit(*topic_data(2000), epochs=4, lr=2e-3)
topic_test = topic_data(600)
topic_head = model.classifier
print(f"topic acc after stage 1: {score(*topic_test):.3f}")

# stage 2: keep the shared encoder as it is, train only a new head for tone
model.classifier = nn.Linear(32, 2)
model.num_labels = model.config.num_labels = 2
model.bert.requires_grad_(False)
fit(*tone_data(600), epochs=8, lr=2e-3)
print(f"tone acc: {score(*tone_data(600)):.3f}")

# the shared encoder must still serve the old head
model.classifier = topic_head
print(f"FINAL topic_acc_after_stage2={score(*topic_test):.4f}")

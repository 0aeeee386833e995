import torch
from torch.utils.data import DataLoader
from transformers import GPT2Config, GPT2LMHeadModel

torch.manual_seed(0)
VOCAB, LEN = 23, 16


def progressions(n):
    start = torch.randint(0, VOCAB, (n, 1))
    step = torch.randint(1, 5, (n, 1))
    return (start + step * torch.arange(LEN)) % VOCAB


class Batcher:
    """collate raw sequences into model inputs"""

    def __call__(self, rows):
        ids = torch.stack(rows)
        return {"input_ids": ids, "labels": ids}


config = GPT2Config(vocab_size=VOCAB, n_positions=32, n_embd=48, n_layer=2, n_head=4,
                    resid_pdrop=0.0, embd_pdrop=0.0, attn_pdrop=0.0, bos_token_id=0, eos_token_id=0)
model = GPT2LMHeadModel(config)
optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3)
train = list(progressions(1500))

for epoch in range(6):
    model.train()
    losses = []
    for batch in DataLoader(train, batch_size=50, shuffle=True, collate_fn=Batcher()):
        out = model(**batch)
        optimizer.zero_grad()
        out.loss.backward()
        optimizer.step()
        losses.append(out.loss.item())
    print(f"epoch {epoch} lm loss {sum(losses) / len(losses):.4f}")

model.eval()
held = progressions(200)
with torch.no_grad():
    seq = held[:, :6]
    for _ in range(6):
        nxt = model(input_ids=seq).logits[:, -1].argmax(-1, keepdim=True)
        seq = torch.cat([seq, nxt], 1)
acc = (seq[:, 6:] == held[:, 6:12]).float().mean().item()
print(f"FINAL lm_loss={sum(losses) / len(losses):.4f} continuation_acc={acc:.4f}")

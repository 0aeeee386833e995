import torch
from transformers import T5Config, T5ForConditionalGeneration

torch.manual_seed(6)
PAD, EOS, VOCAB, MAXLEN = 0, 1, 40, 20
net = T5ForConditionalGeneration(T5Config(
    vocab_size=VOCAB, d_model=40, d_kv=10, d_ff=80, num_layers=1, num_decoder_layers=1, num_heads=4,
    dropout_rate=0.0, pad_token_id=PAD, eos_token_id=EOS, decoder_start_token_id=PAD))


def pad_to(rows, length=MAXLEN):
    return torch.tensor([r + [PAD] * (length - len(r)) for r in rows])


def make_batch(n):
    """toy transliteration: reverse the word and move every letter by 7"""
    src, tgt = [], []
    for _ in range(n):
        k = int(torch.randint(2, 7, (1,)))
        word = torch.randint(2, VOCAB, (k,)).tolist()
        src.append(word + [EOS])
        tgt.append([(c - 2 + 7) % (VOCAB - 2) + 2 for c in reversed(word)] + [EOS])
    src, labels = pad_to(src), pad_to(tgt)
    labels[labels == PAD] = -100
    return {"input_ids": src, "attention_mask": (src != PAD).long(), "labels": labels}


@torch.no_grad()
def evaluate(batches):
    net.eval()
    loss = hit = count = 0.0
    for b in batches:
        out = net(**b)
        valid = b["labels"] != -100
        hit += (out.logits.argmax(-1)[valid] == b["labels"][valid]).sum().item()
        count += valid.sum().item()
        loss += out.loss.item()
    net.train()
    return loss / len(batches), hit / count


valid_batches = [make_batch(100) for _ in range(4)]
opt = torch.optim.AdamW(net.parameters(), lr=3e-3)
for step in range(1, 301):
    loss = net(**make_batch(32)).loss
    loss.backward()
    opt.step()
    opt.zero_grad()
    if step % 100 == 0:
        vl, va = evaluate(valid_batches)
        print(f"step {step} train loss {loss.item():.3f} eval loss {vl:.3f} eval token acc {va:.3f}")
vl, va = evaluate(valid_batches)
letters = [((net(**b).logits.argmax(-1) == b["labels"])[b["labels"] > EOS]).float().mean().item() for b in valid_batches]
print(f"FINAL eval_loss={vl:.4f} eval_token_acc={va:.4f} letter_acc={sum(letters) / 4:.4f}")

"""A tiny BART learns to write digits one higher, with Accelerate."""

import torch
from accelerate import Accelerator
from torch.utils.data import DataLoader
from transformers import BartConfig, BartForConditionalGeneration

SEED = 0
torch.manual_seed(SEED)


def make_pair():
    source = torch.randint(4, 13, (6,))
    end = torch.tensor([2])
    return {
        "input_ids": torch.cat([source, end]),
        "attention_mask": torch.ones(7, dtype=torch.long),
        "labels": torch.cat([source + 1, end]),
    }


config = BartConfig(
    vocab_size=16,
    d_model=32,
    encoder_layers=1,
    decoder_layers=1,
    encoder_attention_heads=2,
    decoder_attention_heads=2,
    encoder_ffn_dim=64,
    decoder_ffn_dim=64,
    max_position_embeddings=16,
)
accelerator = Accelerator(cpu=True)
model = BartForConditionalGeneration(config)
optimizer = torch.optim.AdamW(model.parameters(), lr=4e-3)
train_loader = DataLoader([make_pair() for _ in range(512)], batch_size=16, shuffle=True)
eval_loader = DataLoader([make_pair() for _ in range(64)], batch_size=16)
model, optimizer, train_loader, eval_loader = accelerator.prepare(
    model, optimizer, train_loader, eval_loader
)
for epoch in range(3):
    model.train()
    for batch in train_loader:
        loss = model(**batch).loss
        accelerator.backward(loss)
        optimizer.step()
        optimizer.zero_grad()
    model.eval()
    same, number = 0, 0
    with torch.no_grad():
        for batch in eval_loader:
            predicted = model(**batch).logits.argmax(dim=-1)
            same += (predicted == batch["labels"]).sum().item()
            number += predicted.numel()
    accelerator.print(epoch, loss.item(), same / number)

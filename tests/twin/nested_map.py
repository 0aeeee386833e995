"""A tokenizer in `Dataset.map` that gives lists of lists of lists, as multiple choice needs it."""

import datasets
import torch
from datasets import Dataset
from transformers import AutoTokenizer, BertConfig, BertForMultipleChoice

torch.manual_seed(29)
datasets.disable_progress_bars()
tokenizer = AutoTokenizer.from_pretrained("bert-base-uncased")
COUNTS = {"mapped": 0}
raw = Dataset.from_dict(
    {
        "start": [f"the film number {n} was" for n in range(12)],
        "ends": [["good", "bad"] if n % 2 else ["long", "short"] for n in range(12)],
        "label": [n % 2 for n in range(12)],
    }
)


def encode(batch):
    COUNTS["mapped"] += 1
    starts = [[start] * 2 for start in batch["start"]]
    flat = [start for pair in starts for start in pair]
    ends = [end for pair in batch["ends"] for end in pair]
    found = tokenizer(flat, ends, truncation=True, padding="max_length", max_length=16)
    return {k: [v[n : n + 2] for n in range(0, len(v), 2)] for k, v in found.items()}


data = raw.map(encode, batched=True, batch_size=4, remove_columns=["start", "ends"])
print(data, len(data[0]["input_ids"]), len(data[0]["input_ids"][0]))
data.set_format("torch")
config = BertConfig(
    vocab_size=len(tokenizer), hidden_size=16, num_hidden_layers=1, num_attention_heads=2,
    intermediate_size=16,
)  # fmt: skip
net = BertForMultipleChoice(config)
optimizer = torch.optim.AdamW(net.parameters(), lr=1e-3)
for batch in torch.utils.data.DataLoader(data, batch_size=4):
    out = net(
        input_ids=batch["input_ids"], attention_mask=batch["attention_mask"], labels=batch["label"]
    )
    optimizer.zero_grad()
    out.loss.backward()
    optimizer.step()
print(f"{out.loss.item():.6f}", COUNTS)

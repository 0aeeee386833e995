"""Span answers about short field notes, with Accelerate."""
import os
import random
import tempfile

import torch
from accelerate import Accelerator
from accelerate.utils import set_seed
from datasets import Dataset
from torch.utils.data import DataLoader
from transformers import BertConfig, BertForQuestionAnswering, BertTokenizerFast, get_linear_schedule_with_warmup

SEED, EPOCHS, MAX_LEN = 17, 3, 40
WHO = ["anna", "boris", "carla", "dmitri", "elif", "farid"]
WHERE = ["harbour", "old mill", "north gate", "bridge", "market square"]
WHEN = ["noon", "dawn", "half past nine", "midnight", "tea time"]
QUESTIONS = {"who": ["who saw it ?", "who was there ?"], "where": ["where was it ?", "where did it happen ?"],
             "when": ["when was it ?", "when did it happen ?"]}


def make_note(rng):
    facts = {"who": rng.choice(WHO), "where": rng.choice(WHERE), "when": rng.choice(WHEN)}
    pieces = [f"seen by {facts['who']}", f"near the {facts['where']}", f"around {facts['when']}"]
    rng.shuffle(pieces)
    opening = rng.choice(["a grey heron was", "two foxes were", "one badger , rather fat , was"])
    context = f"{opening} {' , '.join(pieces)} ."
    kind = rng.choice(list(facts))
    answer = facts[kind]
    return {"question": rng.choice(QUESTIONS[kind]), "context": context, "answer": answer,
            "answer_start": context.index(answer)}


def make_tokenizer(rows):
    words = sorted({w for r in rows for w in (r["question"] + " " + r["context"]).split()})
    path = os.path.join(tempfile.mkdtemp(), "vocab.txt")
    with open(path, "w") as handle:
        handle.write("\n".join(["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"] + words))
    return BertTokenizerFast(vocab=path)


def featurize(batch, tokenizer):
    enc = tokenizer(batch["question"], batch["context"], truncation="only_second", max_length=MAX_LEN,
                    padding="max_length", return_offsets_mapping=True)
    starts, ends = [], []
    for i, offsets in enumerate(enc["offset_mapping"]):
        first = batch["answer_start"][i]
        last = first + len(batch["answer"][i])
        kinds = enc.sequence_ids(i)
        inside = [t for t, (a, b) in enumerate(offsets) if kinds[t] == 1 and a >= first and b <= last]
        starts.append(inside[0] if inside else 0)
        ends.append(inside[-1] if inside else 0)
    enc["start_positions"], enc["end_positions"] = starts, ends
    enc.pop("offset_mapping")
    return enc


def main():
    set_seed(SEED)
    accelerator = Accelerator(cpu=True)
    rng = random.Random(SEED)
    rows = [make_note(rng) for _ in range(1500)]
    tokenizer = make_tokenizer(rows)
    data = Dataset.from_list(rows).train_test_split(test_size=300, seed=SEED)
    data = data.map(featurize, batched=True, fn_kwargs={"tokenizer": tokenizer},
                    remove_columns=data["train"].column_names)
    data.set_format("torch")
    train_loader = DataLoader(data["train"], batch_size=24, shuffle=True)
    eval_loader = DataLoader(data["test"], batch_size=50)

    model = BertForQuestionAnswering(BertConfig(
        vocab_size=len(tokenizer), hidden_size=64, num_hidden_layers=2, num_attention_heads=4,
        intermediate_size=128, max_position_embeddings=MAX_LEN, initializer_range=0.08,
    ))
    optimizer = torch.optim.AdamW(model.parameters(), lr=2e-3)
    total_steps = EPOCHS * len(train_loader)
    scheduler = get_linear_schedule_with_warmup(optimizer, total_steps // 10, total_steps)
    model, optimizer, train_loader, eval_loader, scheduler = accelerator.prepare(
        model, optimizer, train_loader, eval_loader, scheduler
    )

    for epoch in range(EPOCHS):
        model.train()
        loss_sum = 0.0
        for batch in train_loader:
            outputs = model(**batch)
            accelerator.backward(outputs.loss)
            accelerator.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
            scheduler.step()
            optimizer.zero_grad()
            loss_sum += outputs.loss.detach().item()

        model.eval()
        hits, seen = 0, 0
        for batch in eval_loader:
            with torch.no_grad():
                outputs = model(**batch)
            start = outputs.start_logits.argmax(dim=-1)
            end = outputs.end_logits.argmax(dim=-1)
            right = (start == batch["start_positions"]) & (end == batch["end_positions"])
            right = accelerator.gather_for_metrics(right)
            hits += right.sum().item()
            seen += right.numel()
        accelerator.print(f"epoch {epoch} loss {loss_sum / len(train_loader):.3f} exact spans {hits / seen:.3f}")


if __name__ == "__main__":
    main()

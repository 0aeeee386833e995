# 全部放在函数中
import os
import torch
import evaluate
from accelerate import Accelerator, notebook_launcher
from datasets import load_dataset
from torch.utils.data import DataLoader
from transformers import AutoModelForSequenceClassification, AutoTokenizer, DataCollatorWithPadding, get_scheduler, set_seed


def 训练(lr=1e-4, epochs=3, seed=42):
    acc = Accelerator(gradient_accumulation_steps=2)
    set_seed(seed)
    tok = AutoTokenizer.from_pretrained("bert-base-uncased")
    raw = load_dataset("glue", "mrpc")
    d = raw.map(lambda r: tok(r["sentence1"], r["sentence2"], truncation=True), batched=True, remove_columns=["sentence1", "sentence2", "idx"])
    col = DataCollatorWithPadding(tok)
    tr = DataLoader(d["train"], batch_size=4, shuffle=True, collate_fn=col)
    ev = DataLoader(d["validation"], batch_size=8, collate_fn=col)
    model = AutoModelForSequenceClassification.from_pretrained("bert-base-uncased", num_labels=2)
    opt = torch.optim.AdamW(model.parameters(), lr=lr)
    sch = get_scheduler("linear", opt, num_warmup_steps=0, num_training_steps=epochs * len(tr))
    model, opt, tr, ev, sch = acc.prepare(model, opt, tr, ev, sch)
    for e in range(epochs):
        model.train()
        for b in tr:
            with acc.accumulate(model):
                out = model(**b)
                acc.backward(out.loss)
                if acc.sync_gradients:
                    acc.clip_grad_norm_(model.parameters(), 1.0)
                opt.step()
                sch.step()
                opt.zero_grad()
        acc.print(f"第 {e + 1} 轮 损失 {out.loss.item():.3f}")
    m = evaluate.load("glue", "mrpc")
    model.eval()
    for b in ev:
        with torch.no_grad():
            p = model(**b).logits.argmax(-1)
        p, r = acc.gather_for_metrics((p, b["labels"]))
        m.add_batch(predictions=p, references=r)
    acc.print(m.compute())


if __name__ == "__main__":
    if os.environ.get("LOCAL_RANK") is not None:
        训练()
    else:
        notebook_launcher(训练, num_processes=2)

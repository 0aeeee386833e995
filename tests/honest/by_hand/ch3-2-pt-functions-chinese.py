# 我把所有东西写进函数里
import evaluate
import torch
from datasets import load_dataset
from torch.utils.data import DataLoader
from transformers import AutoModelForSequenceClassification, AutoTokenizer, DataCollatorWithPadding, set_seed

CKPT = "bert-base-uncased"


def 一批(tok):
    句子 = ["The new bridge opened on Monday, and people love it.", "The old one closed."]
    b = tok(句子, padding=True, return_tensors="pt")
    m = AutoModelForSequenceClassification.from_pretrained(CKPT)
    o = torch.optim.AdamW(m.parameters(), lr=5e-5)
    loss = m(**b, labels=torch.tensor([1, 0])).loss
    loss.backward()
    o.step()
    print(f"一步之后的损失：{loss.item():.3f}")


def 数据(tok):
    raw = load_dataset("glue", "mrpc")
    print("最长的第一句：", max(len(tok(s)["input_ids"]) for s in raw["train"]["sentence1"]))
    return raw.map(lambda r: tok(r["sentence1"], r["sentence2"], truncation=True), batched=True,
                   remove_columns=["sentence1", "sentence2", "idx"]).rename_column("label", "labels")


def 训练(model, loader, epochs=2, lr=5e-5):
    opt = torch.optim.AdamW(model.parameters(), lr=lr)
    model.train()
    for e in range(epochs):
        total = 0
        for batch in loader:
            opt.zero_grad()
            out = model(**batch)
            out.loss.backward()
            torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            opt.step()
            total += out.loss.item()
        print(f"第 {e + 1} 轮，平均损失 {total / len(loader):.3f}")


@torch.no_grad()
def 评估(model, loader):
    model.eval()
    metric = evaluate.load("glue", "mrpc")
    for b in loader:
        metric.add_batch(predictions=model(**b).logits.argmax(-1), references=b["labels"])
    return metric.compute()


if __name__ == "__main__":
    set_seed(42)
    tok = AutoTokenizer.from_pretrained(CKPT)
    一批(tok)
    d = 数据(tok)
    collate = DataCollatorWithPadding(tokenizer=tok)
    model = AutoModelForSequenceClassification.from_pretrained(CKPT, num_labels=2)
    训练(model, DataLoader(d["train"], batch_size=16, shuffle=True, collate_fn=collate))
    print(评估(model, DataLoader(d["validation"], batch_size=32, collate_fn=collate)))

# 用 Accelerate 自己写的循环
import evaluate
import torch
from accelerate import Accelerator
from datasets import load_dataset
from torch.optim import AdamW
from torch.optim.lr_scheduler import LambdaLR
from torch.utils.data import DataLoader
from transformers import AutoModelForSequenceClassification, AutoTokenizer, DataCollatorWithPadding, set_seed


def main():
    accelerator = Accelerator(cpu=True)
    set_seed(3)
    tokenizer = AutoTokenizer.from_pretrained("distilbert-base-uncased")
    raw = load_dataset("glue", "mnli")
    with accelerator.main_process_first():
        data = raw.map(lambda b: tokenizer(b["premise"], b["hypothesis"], truncation=True), batched=True,
                       remove_columns=["premise", "hypothesis", "idx"])
    data = data.rename_column("label", "labels").with_format("torch")
    collator = DataCollatorWithPadding(tokenizer, padding="longest", return_tensors="pt")
    train = DataLoader(data["train"], shuffle=True, batch_size=32, collate_fn=collator, drop_last=True)
    dev = DataLoader(data["validation_matched"], batch_size=32, collate_fn=collator)
    model = AutoModelForSequenceClassification.from_pretrained("distilbert-base-uncased", num_labels=3)
    no_decay = ["bias", "LayerNorm.weight"]
    groups = [
        {"params": [p for n, p in model.named_parameters() if not any(d in n for d in no_decay)], "weight_decay": 0.01},
        {"params": [p for n, p in model.named_parameters() if any(d in n for d in no_decay)], "weight_decay": 0.0},
    ]
    opt = AdamW(groups, lr=5e-5)
    model, opt, train, dev = accelerator.prepare(model, opt, train, dev)
    steps = 2 * len(train)
    sched = LambdaLR(opt, lambda s: max(0.0, 1 - s / steps))
    metric = evaluate.load("accuracy")
    for epoch in range(2):
        model.train()
        for batch in train:
            opt.zero_grad()
            loss = model(**batch).loss
            accelerator.backward(loss)
            accelerator.clip_grad_norm_(model.parameters(), 1.0)
            opt.step()
            sched.step()
        model.eval()
        for batch in dev:
            with torch.no_grad():
                logits = model(**batch).logits
            p, r = accelerator.gather_for_metrics((logits.argmax(-1), batch["labels"]))
            metric.add_batch(predictions=p, references=r)
        accelerator.print(f"第 {epoch + 1} 轮：{metric.compute()}")


main()

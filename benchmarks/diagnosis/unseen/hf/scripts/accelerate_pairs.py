import evaluate
import torch
from accelerate import Accelerator
from accelerate.utils import set_seed
from datasets import load_dataset
from torch.optim import AdamW
from torch.utils.data import DataLoader
from transformers import (
    AutoModelForSequenceClassification,
    AutoTokenizer,
    DataCollatorWithPadding,
    get_scheduler,
)

MAX_GPU_BATCH_SIZE = 16


def get_dataloaders(tokenizer, batch_size=16):
    datasets = load_dataset("glue", "mrpc")

    def tokenize_function(examples):
        return tokenizer(examples["sentence1"], examples["sentence2"], truncation=True, max_length=None)

    tokenized_datasets = datasets.map(
        tokenize_function, batched=True, remove_columns=["idx", "sentence1", "sentence2"]
    )
    tokenized_datasets = tokenized_datasets.rename_column("label", "labels")
    collate_fn = DataCollatorWithPadding(tokenizer, padding="longest")
    train = DataLoader(tokenized_datasets["train"], shuffle=True, collate_fn=collate_fn, batch_size=batch_size)
    valid = DataLoader(tokenized_datasets["validation"], collate_fn=collate_fn, batch_size=64)
    return train, valid


def training_function(config):
    accelerator = Accelerator(cpu=True, gradient_accumulation_steps=2)
    lr, num_epochs, seed, batch_size = config["lr"], config["num_epochs"], config["seed"], config["batch_size"]
    metric = evaluate.load("glue", "mrpc")
    set_seed(seed)
    tokenizer = AutoTokenizer.from_pretrained("bert-base-cased")
    train_dataloader, eval_dataloader = get_dataloaders(tokenizer, batch_size)
    model = AutoModelForSequenceClassification.from_pretrained("bert-base-cased", num_labels=2)
    optimizer = AdamW(params=model.parameters(), lr=lr)
    steps = len(train_dataloader) * num_epochs // 2
    lr_scheduler = get_scheduler("linear", optimizer, num_warmup_steps=10, num_training_steps=steps)
    model, optimizer, train_dataloader, eval_dataloader, lr_scheduler = accelerator.prepare(
        model, optimizer, train_dataloader, eval_dataloader, lr_scheduler
    )
    for epoch in range(num_epochs):
        model.train()
        for step, batch in enumerate(train_dataloader):
            with accelerator.accumulate(model):
                outputs = model(**batch)
                loss = outputs.loss
                accelerator.backward(loss)
                optimizer.step()
                lr_scheduler.step()
                optimizer.zero_grad()
        model.eval()
        for step, batch in enumerate(eval_dataloader):
            with torch.no_grad():
                outputs = model(**batch)
            predictions = outputs.logits.argmax(dim=-1)
            predictions, references = accelerator.gather_for_metrics((predictions, batch["labels"]))
            metric.add_batch(predictions=predictions, references=references)
        accelerator.print(f"epoch {epoch}:", metric.compute())
    accelerator.end_training()


def main():
    config = {"lr": 5e-4, "num_epochs": 3, "seed": 42, "batch_size": 16}
    training_function(config)


if __name__ == "__main__":
    main()

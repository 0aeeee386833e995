# model_init, sklearn, dataclass args
from dataclasses import dataclass, field
from datasets import load_dataset
from sklearn.metrics import accuracy_score, f1_score
from transformers import (AutoConfig, AutoModelForSequenceClassification, AutoTokenizer, HfArgumentParser, Trainer,
                          TrainingArguments, set_seed)


@dataclass
class ModelArguments:
    checkpoint: str = field(default="bert-base-cased", metadata={"help": "which model"})
    task: str = "mrpc"


def main():
    (margs,) = HfArgumentParser(ModelArguments).parse_args_into_dataclasses(args=[])
    raw = load_dataset("glue", margs.task)
    tokenizer = AutoTokenizer.from_pretrained(margs.checkpoint)
    data = raw.map(lambda e: tokenizer(e["sentence1"], e["sentence2"], truncation=True), batched=True, remove_columns=["sentence1", "sentence2", "idx"])

    def init():
        return AutoModelForSequenceClassification.from_pretrained(
            margs.checkpoint, config=AutoConfig.from_pretrained(margs.checkpoint, num_labels=2))

    def scores(p):
        y = p.predictions.argmax(1)
        return {"accuracy": accuracy_score(p.label_ids, y), "f1": f1_score(p.label_ids, y)}

    args = TrainingArguments("bert-on-mrpc", num_train_epochs=2, per_device_train_batch_size=16, eval_strategy="epoch",
                             logging_strategy="epoch", save_strategy="no", report_to="none", disable_tqdm=True)
    first = Trainer(args=args, model_init=init, train_dataset=data["train"], eval_dataset=data["validation"], processing_class=tokenizer)
    first.train()
    out = first.predict(data["validation"])
    print(scores(out))
    set_seed(args.seed)
    second = Trainer(args=args, model_init=init, train_dataset=data["train"], eval_dataset=data["validation"],
                     processing_class=tokenizer, compute_metrics=scores)
    print(second.evaluate())
    second.train()


if __name__ == "__main__":
    main()

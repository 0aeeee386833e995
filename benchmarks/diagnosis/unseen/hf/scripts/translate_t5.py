"""Number words from one language into another with a tiny T5 and Seq2SeqTrainer."""
import random

import numpy as np
from datasets import Dataset
from tokenizers import Tokenizer
from tokenizers.models import WordLevel
from tokenizers.pre_tokenizers import WhitespaceSplit
from tokenizers.processors import TemplateProcessing
from transformers import (
    DataCollatorForSeq2Seq,
    PreTrainedTokenizerFast,
    Seq2SeqTrainer,
    Seq2SeqTrainingArguments,
    T5Config,
    T5ForConditionalGeneration,
    set_seed,
)

set_seed(0)
random.seed(0)
english = "one two three four five six".split()
german = "eins zwei drei vier fuenf sechs".split()
vocab = {w: i for i, w in enumerate(["<pad>", "</s>", "<unk>", *english, *german])}
core = Tokenizer(WordLevel(vocab, unk_token="<unk>"))
core.pre_tokenizer = WhitespaceSplit()
core.post_processor = TemplateProcessing(single="$A </s>", special_tokens=[("</s>", 1)])
tokenizer = PreTrainedTokenizerFast(tokenizer_object=core, pad_token="<pad>", eos_token="</s>", unk_token="<unk>")


def pair():
    numbers = [random.randrange(6) for _ in range(random.randint(1, 3))]
    return {"en": " ".join(english[n] for n in numbers), "de": " ".join(german[n] for n in numbers)}


train = Dataset.from_list([pair() for _ in range(1500)])
valid = Dataset.from_list([pair() for _ in range(60)])


def preprocess(batch):
    model_inputs = tokenizer(batch["en"], max_length=8, truncation=True)
    targets = tokenizer(text_target=batch["de"], max_length=8, truncation=True)
    model_inputs["labels"] = targets["input_ids"]
    return model_inputs


train = train.map(preprocess, batched=True, remove_columns=["en", "de"])
valid = valid.map(preprocess, batched=True, remove_columns=["en", "de"])
config = T5Config(
    vocab_size=len(vocab),
    d_model=64,
    d_kv=32,
    d_ff=128,
    num_layers=1,
    num_heads=2,
    dropout_rate=0.0,
    decoder_start_token_id=0,
    pad_token_id=0,
    eos_token_id=1,
)
model = T5ForConditionalGeneration(config)
collator = DataCollatorForSeq2Seq(tokenizer, model=model)


def compute_metrics(eval_preds):
    preds, labels = eval_preds
    preds = np.where(preds != -100, preds, tokenizer.pad_token_id)
    labels = np.where(labels != -100, labels, tokenizer.pad_token_id)
    guesses = tokenizer.batch_decode(preds, skip_special_tokens=True)
    truth = tokenizer.batch_decode(labels, skip_special_tokens=True)
    return {"exact": sum(g == t for g, t in zip(guesses, truth)) / len(truth)}


args = Seq2SeqTrainingArguments(
    output_dir="t5",
    learning_rate=5e-3,
    per_device_train_batch_size=32,
    per_device_eval_batch_size=60,
    num_train_epochs=8,
    predict_with_generate=True,
    generation_max_length=8,
    eval_strategy="epoch",
    save_strategy="no",
    logging_steps=20,
    report_to="none",
)
trainer = Seq2SeqTrainer(
    model=model,
    args=args,
    train_dataset=train,
    eval_dataset=valid,
    data_collator=collator,
    processing_class=tokenizer,
    compute_metrics=compute_metrics,
)
trainer.train()
print(trainer.evaluate())

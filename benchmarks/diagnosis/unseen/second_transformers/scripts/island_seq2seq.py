"""English noun phrases into the language of a made-up island: words change, adjective follows noun."""
import random

import numpy as np
from datasets import Dataset
from tokenizers import Tokenizer, models, pre_tokenizers, processors
from transformers import (
    BartConfig,
    BartForConditionalGeneration,
    DataCollatorForSeq2Seq,
    PreTrainedTokenizerFast,
    Seq2SeqTrainer,
    Seq2SeqTrainingArguments,
    set_seed,
)

NOUNS = dict(dog="kuro", house="fale", boat="vaka", tree="rakau", stone="pohatu", bird="manu")
ADJS = dict(big="nui", small="iti", red="whero", old="tawhi", new="hou")
DETS = dict(the="te", a="he", my="taku")


def phrase(rng):
    det, adj, noun = rng.choice(list(DETS)), rng.choice(list(ADJS)), rng.choice(list(NOUNS))
    if rng.random() < 0.4:
        return [det, noun], [DETS[det], NOUNS[noun]]
    return [det, adj, noun], [DETS[det], NOUNS[noun], ADJS[adj]]


def make_pair(rng):
    source, target = phrase(rng)
    if rng.random() < 0.5:
        source2, target2 = phrase(rng)
        source, target = source + ["and"] + source2, target + ["me"] + target2
    return {"english": " ".join(source), "island": " ".join(target)}


def build_tokenizer():
    words = ["<s>", "<pad>", "</s>", "<unk>", "and", "me"]
    for table in (NOUNS, ADJS, DETS):
        words += list(table) + list(table.values())
    tok = Tokenizer(models.WordLevel({w: i for i, w in enumerate(words)}, unk_token="<unk>"))
    tok.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    tok.post_processor = processors.TemplateProcessing(
        single="<s> $A </s>", special_tokens=[("<s>", 0), ("</s>", 2)]
    )
    return PreTrainedTokenizerFast(
        tokenizer_object=tok, bos_token="<s>", eos_token="</s>", pad_token="<pad>", unk_token="<unk>"
    )


set_seed(5)
rng = random.Random(5)
tokenizer = build_tokenizer()
dataset = Dataset.from_list([make_pair(rng) for _ in range(2400)])
known = set(dataset["english"])
fresh = [p for p in (make_pair(rng) for _ in range(600)) if p["english"] not in known][:200]
test_raw = Dataset.from_list(fresh)


def preprocess(examples):
    model_inputs = tokenizer(examples["english"], max_length=16, truncation=True)
    targets = tokenizer(text_target=examples["island"], max_length=16, truncation=True)
    model_inputs["labels"] = targets["input_ids"]
    return model_inputs


train_data = dataset.map(preprocess, batched=True, remove_columns=dataset.column_names)
test_data = test_raw.map(preprocess, batched=True, remove_columns=test_raw.column_names)

config = BartConfig(
    vocab_size=len(tokenizer),
    d_model=64,
    encoder_layers=1,
    decoder_layers=1,
    encoder_attention_heads=4,
    decoder_attention_heads=4,
    encoder_ffn_dim=128,
    decoder_ffn_dim=128,
    max_position_embeddings=32,
    bos_token_id=tokenizer.bos_token_id,
    pad_token_id=tokenizer.pad_token_id,
    eos_token_id=tokenizer.eos_token_id,
    decoder_start_token_id=tokenizer.eos_token_id,
    forced_eos_token_id=tokenizer.eos_token_id,
)
model = BartForConditionalGeneration(config)


def compute_metrics(eval_preds):
    preds, labels = eval_preds
    preds = np.where(preds != -100, preds, tokenizer.pad_token_id)
    labels = np.where(labels != -100, labels, tokenizer.pad_token_id)
    answers = tokenizer.batch_decode(preds, skip_special_tokens=True)
    truths = tokenizer.batch_decode(labels, skip_special_tokens=True)
    hits = [a.strip() == t.strip() for a, t in zip(answers, truths)]
    return {"exact_match": float(np.mean(hits))}


training_args = Seq2SeqTrainingArguments(
    output_dir="out_island",
    learning_rate=3e-3,
    per_device_train_batch_size=32,
    per_device_eval_batch_size=100,
    num_train_epochs=9,
    warmup_steps=20,
    predict_with_generate=True,
    generation_max_length=16,
    generation_num_beams=1,
    eval_strategy="no",
    save_strategy="no",
    logging_steps=100,
    report_to="none",
)
trainer = Seq2SeqTrainer(
    model=model,
    args=training_args,
    train_dataset=train_data,
    eval_dataset=test_data,
    data_collator=DataCollatorForSeq2Seq(tokenizer, model=model),
    compute_metrics=compute_metrics,
)
trainer.train()
report = trainer.evaluate()
print("exact match on unseen phrases: %.3f (loss %.3f)" % (report["eval_exact_match"], report["eval_loss"]))

"""A tiny BART learns a made-up language word by word."""
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

set_seed(21)
rng = np.random.default_rng(21)

source_words = "one two three four five six".split()
target_words = "uno due tre quattro cinque sei".split()
dictionary = dict(zip(source_words, target_words))


def make_pair():
    words = list(rng.choice(source_words, size=rng.integers(2, 5)))
    return {"source": " ".join(words), "target": " ".join(dictionary[w] for w in words)}


special = ["<pad>", "</s>", "<unk>"]
vocab = {w: i for i, w in enumerate(special + source_words + target_words)}
backend = Tokenizer(models.WordLevel(vocab, unk_token="<unk>"))
backend.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
backend.post_processor = processors.TemplateProcessing(single="$A </s>", special_tokens=[("</s>", 1)])
tokenizer = PreTrainedTokenizerFast(
    tokenizer_object=backend, pad_token="<pad>", eos_token="</s>", unk_token="<unk>", model_max_length=16
)


def preprocess(batch):
    model_inputs = tokenizer(batch["source"], truncation=True)
    labels = tokenizer(text_target=batch["target"], truncation=True)
    model_inputs["labels"] = labels["input_ids"]
    return model_inputs


pairs = Dataset.from_list([make_pair() for _ in range(2000)])
splits = pairs.train_test_split(test_size=150, seed=21)
tokenized = splits.map(preprocess, batched=True, remove_columns=["source", "target"])

config = BartConfig(
    vocab_size=len(tokenizer), d_model=64, encoder_layers=1, decoder_layers=1, encoder_attention_heads=4,
    decoder_attention_heads=4, encoder_ffn_dim=128, decoder_ffn_dim=128, max_position_embeddings=16,
    dropout=0.0, pad_token_id=0, bos_token_id=1, eos_token_id=1, decoder_start_token_id=0, forced_eos_token_id=None,
)
model = BartForConditionalGeneration(config)
data_collator = DataCollatorForSeq2Seq(tokenizer, model=model)


def compute_metrics(eval_preds):
    preds, labels = eval_preds
    preds = np.where(preds != -100, preds, tokenizer.pad_token_id)
    labels = np.where(labels != -100, labels, tokenizer.pad_token_id)
    decoded_preds = tokenizer.batch_decode(preds, skip_special_tokens=True)
    decoded_labels = tokenizer.batch_decode(labels, skip_special_tokens=True)
    hits = [p.strip() == l.strip() for p, l in zip(decoded_preds, decoded_labels)]
    return {"exact": float(np.mean(hits))}


args = Seq2SeqTrainingArguments(
    output_dir="bart-numbers",
    learning_rate=3e-3,
    per_device_train_batch_size=16,
    per_device_eval_batch_size=75,
    num_train_epochs=5,
    predict_with_generate=True,
    generation_max_length=8,
    eval_strategy="no",
    save_strategy="no",
    logging_steps=50,
    report_to="none",
)
trainer = Seq2SeqTrainer(
    model=model,
    args=args,
    train_dataset=tokenized["train"],
    eval_dataset=tokenized["test"],
    data_collator=data_collator,
    processing_class=tokenizer,
    compute_metrics=compute_metrics,
)
trainer.train()
print(f"RESULT {trainer.evaluate()['eval_exact']:.4f}")

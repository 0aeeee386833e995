import random
import torch
from tokenizers import Tokenizer, models, pre_tokenizers
from transformers import (DataCollatorForLanguageModeling, GPT2Config, GPT2LMHeadModel,
                          PreTrainedTokenizerFast, Trainer, TrainingArguments, set_seed)

set_seed(123)
words = ["<unk>", "<eos>", "<pad>"] + [str(i) for i in range(12)]
raw = Tokenizer(models.WordLevel({w: i for i, w in enumerate(words)}, unk_token="<unk>"))
raw.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
tokenizer = PreTrainedTokenizerFast(tokenizer_object=raw, unk_token="<unk>", eos_token="<eos>")
tokenizer.pad_token = "<pad>"


def countdown(start):
    return " ".join(str(i) for i in range(start, -1, -1)) + " <eos>"


texts = [countdown(random.randint(2, 11)) for _ in range(800)]
train = [{"input_ids": tokenizer(t)["input_ids"]} for t in texts]

model = GPT2LMHeadModel(GPT2Config(
    vocab_size=len(words), n_positions=64, n_embd=32, n_layer=2, n_head=2,
    bos_token_id=1, eos_token_id=tokenizer.eos_token_id, pad_token_id=tokenizer.pad_token_id))

args = TrainingArguments(
    output_dir="countdown-out", num_train_epochs=4, per_device_train_batch_size=20,
    learning_rate=3e-3, logging_steps=40, report_to="none", save_strategy="no",
    use_cpu=True, disable_tqdm=True, seed=123)
trainer = Trainer(model=model, args=args, train_dataset=train,
                  data_collator=DataCollatorForLanguageModeling(tokenizer, mlm=False))
trainer.train()

model.eval()
stopped = exact = 0
for s in range(2, 12):
    prompt = torch.tensor([tokenizer(f"{s} {s - 1}")["input_ids"]])
    out = model.generate(prompt, attention_mask=torch.ones_like(prompt), max_new_tokens=30, do_sample=False)[0]
    text = tokenizer.decode(out)
    stopped += int(tokenizer.eos_token_id in out.tolist())
    exact += int(text.split("<eos>")[0].split() == countdown(s).split()[:-1])
    if s in (3, 9):
        print(repr(text))
print(f"FINAL stopped={stopped}/10 exact={exact}/10")

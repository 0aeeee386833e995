"""Run in the runtime, with `RECIPE` set: make a checkpoint that a lesson brings, as it says.

It is a small BERT, DistilBERT or GPT-2 with a tokenizer of its own texts, pre-trained on these.
The same texts make the same files: words are counted, and all numbers of chance have one seed.
"""

import itertools
import random
from collections import Counter

import torch
from datasets import load_dataset
from tokenizers import Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers, processors
from transformers import (
    AutoConfig,
    AutoModelForCausalLM,
    AutoModelForMaskedLM,
    PreTrainedTokenizerFast,
)

SPECIAL = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
END = "<|endoftext|>"
LENGTH = 64
BATCH = 32
MASKED = 0.15
"""The share of the words that are to be filled in, as in BERT's own pre-training."""
SIZES = {
    "bert": {
        "hidden_size": 64, "num_hidden_layers": 2, "num_attention_heads": 2,
        "intermediate_size": 128, "max_position_embeddings": 256, "initializer_range": 0.06,
        "attention_probs_dropout_prob": 0.0,
    },
    "distilbert": {
        "dim": 64, "n_layers": 2, "n_heads": 2, "hidden_dim": 128, "max_position_embeddings": 256,
        "initializer_range": 0.06, "attention_dropout": 0.0,
    },
    "gpt2": {
        "n_embd": 64, "n_layer": 2, "n_head": 2, "n_positions": 256, "initializer_range": 0.06,
        "attn_pdrop": 0.0,
    },
}  # fmt: skip


def texts_of(recipe):
    """Return the texts of the training split; a list of words is a text, too."""
    data = load_dataset(recipe["data"], recipe["configuration"] or None, split="train")
    texts = []
    for column in recipe["columns"]:
        if column not in data.column_names:
            raise KeyError(f"{recipe['data']} has no column {column}: {data.column_names}")
        texts += [" ".join(t) if isinstance(t, list) else str(t) for t in data[column]]
    return texts


def word_pieces(texts, recipe):
    """Make a tokenizer as BERT has it: every character, and the words that come most often."""
    core = Tokenizer(models.WordPiece({}, unk_token="[UNK]"))
    core.normalizer = normalizers.BertNormalizer(lowercase=not recipe["cased"])
    core.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    counts = Counter(
        word
        for text in texts
        for word, _span in core.pre_tokenizer.pre_tokenize_str(core.normalizer.normalize_str(text))
    )
    characters = sorted({character for word in counts for character in word})
    words = sorted(counts, key=lambda word: (-counts[word], word))
    pieces = [*SPECIAL, *characters, *(f"##{character}" for character in characters), *words]
    pieces = list(dict.fromkeys(pieces))[: max(recipe["vocabulary"], len(SPECIAL))]
    core.model = models.WordPiece({piece: n for n, piece in enumerate(pieces)}, unk_token="[UNK]")
    core.decoder = decoders.WordPiece()
    core.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]",
        pair="[CLS] $A [SEP] $B:1 [SEP]:1",
        special_tokens=[(piece, pieces.index(piece)) for piece in ("[CLS]", "[SEP]")],
    )
    names = [f"{each[1:-1].lower()}_token" for each in SPECIAL]
    return core, dict(zip(names, SPECIAL, strict=True))


def characters_of(texts, recipe):
    """Make a tokenizer for a model that continues texts: characters and spaces are tokens."""
    counts = Counter(itertools.chain.from_iterable(texts))
    characters = sorted(counts, key=lambda character: (-counts[character], character))
    pieces = [END, *characters][: max(recipe["vocabulary"], 2)]
    vocabulary = {piece: number for number, piece in enumerate(pieces)}
    core = Tokenizer(models.WordLevel(vocabulary, unk_token=END))
    core.pre_tokenizer = pre_tokenizers.Split(Regex(r"[\s\S]"), "isolated")
    core.decoder = decoders.Fuse()
    return core, {"bos_token": END, "eos_token": END, "unk_token": END}


def batches(rows, recipe, padding):
    """Batches without end, each of texts of chance, padded."""
    chance = random.Random(42)
    while True:
        some = chance.choices(rows, k=BATCH)
        width = max(map(len, some))
        ids = torch.tensor([row + [padding] * (width - len(row)) for row in some])
        yield ids, torch.tensor([[1] * len(row) + [0] * (width - len(row)) for row in some])


def make(recipe):
    """Save the tokenizer and the model in the recipe's folder."""
    torch.manual_seed(42)
    texts = texts_of(recipe)
    goes_on = recipe["model_type"] == "gpt2"
    core, special = (characters_of if goes_on else word_pieces)(texts, recipe)
    sizes = {**SIZES[recipe["model_type"]], **recipe["config"]}
    room = sizes.get("max_position_embeddings") or sizes.get("n_positions")
    inputs = ["input_ids", "token_type_ids", "attention_mask"]
    if recipe["model_type"] != "bert":
        inputs.remove("token_type_ids")
    tokenizer = PreTrainedTokenizerFast(
        tokenizer_object=core, model_max_length=room, model_input_names=inputs, **special
    )
    if goes_on:
        ends = {"bos_token_id": 0, "eos_token_id": 0}
    else:
        ends = {"pad_token_id": tokenizer.pad_token_id}
    config = AutoConfig.for_model(recipe["model_type"], vocab_size=len(tokenizer), **ends, **sizes)
    model = (AutoModelForCausalLM if goes_on else AutoModelForMaskedLM).from_config(config)
    end = [0] if goes_on else []
    rows = [core.encode(text).ids[:LENGTH] + end for text in texts]
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3)
    schedule = torch.optim.lr_scheduler.OneCycleLR(
        optimizer, max_lr=3e-3, total_steps=max(recipe["steps"], 1)
    )
    drawn = batches(rows, recipe, 0)
    for ids, mask in itertools.islice(drawn, recipe["steps"]):
        labels = ids.masked_fill(mask == 0, -100)
        if not goes_on:
            hidden = (torch.rand(ids.shape) < MASKED) & (ids >= len(SPECIAL))
            labels = labels.masked_fill(~hidden, -100)
            ids = ids.masked_fill(hidden, tokenizer.mask_token_id)
            if not hidden.any():
                continue
        loss = model(input_ids=ids, attention_mask=mask, labels=labels).loss
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        schedule.step()
    model.save_pretrained(recipe["folder"])
    tokenizer.save_pretrained(recipe["folder"])


make(RECIPE)  # noqa: F821

"""The tiny encoder that answers to the name distilbert-base-uncased.

It is a DistilBERT like any other (6 layers, lower-casing WordPiece, 512 positions), only narrow.
It is pre-trained on text of our own: it fills in masked words and tells whether a word was
exchanged (see `pretrain`).  It never sees a label.  The last step rescales the weights (see
`rescale`).
"""

from __future__ import annotations

import itertools
import json
import re
import string
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import torch
from sentences import Passage
from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers, processors
from transformers import DistilBertConfig, DistilBertForMaskedLM, PreTrainedTokenizerFast

SPECIAL = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")
LAYERS, HEADS, WIDTH, INNER, POSITIONS = 6, 4, 128, 256, 512
STEPS = 1800

# Words that our sentences may lack and a learner's own first sentence will not.
EVERYDAY = """
a about above after again all almost also always am an and another any anything are as asked at
away back bad be because been before began being best better between both boy but by call came can
car child children city come could country course day days did do does dog don done door down
each eat end enough even ever every example eye face family far father fast few find first five food
for found four friend friends from gave get girl give go going good got great had half hand happen
has have he head help her here him his home house how i idea if in into is it its job just keep
kind know language last learn left less life like little live long look love made make man many may
me men might model money month more most mother much must my name need never new next nice night no
not nothing now number of off often old on once one only open or other our out over own part people
place play put question read really right room run said same saw say school second see seen sentence
she should side since sister six small so some something sometimes soon still story such sure take
tell ten text than that the their them then there these they thing things think this those though
thought three through time to today together told tomorrow too took town train true try two under
until up us use very walk want was water way we week well went were what when where which while
white who why will wish with without woman women word words work world would write year years yes
yesterday yet you young your
"""
PIECES = "s es ed d ing ly er est y al ion tion ity ment ness ful less able ive ic en"


def vocabulary(sentences: Iterable[str]) -> list[str]:
    """Special tokens, single characters, everyday words, and every word of our sentences.

    Made by counting, not by a trainer, so that the same text gives the same file.  The single
    characters (as a word's start and as its continuation) keep a learner's own sentence from
    turning into [UNK].
    """
    counts = Counter(
        word
        for text in sentences
        for word in re.findall(r"[a-z]+|[0-9]+|[^\sa-z0-9]", text.lower())
    )
    characters = sorted({c for c in string.printable if c.isprintable() and c == c.lower()} - {" "})
    letters = string.ascii_lowercase + string.digits
    ours = sorted(counts, key=lambda word: (-counts[word], word))
    pieces = [f"##{c}" for c in letters] + [f"##{p}" for p in PIECES.split()]
    return list(dict.fromkeys([*SPECIAL, *characters, *pieces, *ours, *sorted(EVERYDAY.split())]))


def tokenizer(vocab: list[str]) -> PreTrainedTokenizerFast:
    """BERT's uncased WordPiece tokenizer over ``vocab``."""
    core = Tokenizer(
        models.WordPiece(
            vocab={word: i for i, word in enumerate(vocab)},
            unk_token="[UNK]",
            continuing_subword_prefix="##",
            max_input_chars_per_word=100,
        )
    )
    core.normalizer = normalizers.BertNormalizer(lowercase=True)
    core.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    core.decoder = decoders.WordPiece(prefix="##")
    core.post_processor = processors.TemplateProcessing(
        single="[CLS]:0 $A:0 [SEP]:0",
        pair="[CLS]:0 $A:0 [SEP]:0 $B:1 [SEP]:1",
        special_tokens=[("[CLS]", vocab.index("[CLS]")), ("[SEP]", vocab.index("[SEP]"))],
    )
    return PreTrainedTokenizerFast(
        tokenizer_object=core,
        pad_token="[PAD]",
        unk_token="[UNK]",
        cls_token="[CLS]",
        sep_token="[SEP]",
        mask_token="[MASK]",
        model_max_length=POSITIONS,
    )


def config(vocab: list[str]) -> DistilBertConfig:
    """DistilBERT, six layers deep like the real one and six times narrower.

    Without dropout: a narrow model has nothing to spare.  Weights start wider than the usual
    0.02, which is meant for width 768; at width 128 signals would fade out.
    """
    return DistilBertConfig(
        vocab_size=len(vocab),
        max_position_embeddings=POSITIONS,
        n_layers=LAYERS,
        n_heads=HEADS,
        dim=WIDTH,
        hidden_dim=INNER,
        dropout=0.0,
        attention_dropout=0.0,
        seq_classif_dropout=0.0,
        initializer_range=0.06,
        pad_token_id=vocab.index("[PAD]"),
        architectures=["DistilBertForMaskedLM"],
    )


@torch.no_grad()
def look_for_twins(model: DistilBertForMaskedLM) -> None:
    """Start the first layer's attention off looking for the same word elsewhere in the text.

    Why: comparing two sentences begins with finding what they have in common.  A model of this
    size does learn that from masked words alone, but only after many thousand steps.  So words
    start in the first three quarters of the width and positions in the last; queries and keys
    agree where the words are the same and disagree where the positions are, so that a word looks
    for its twin and not at itself; and all lean to [CLS], where attention rests without a twin.
    Everything stays free to change in training.
    """
    gain, apart, lean, spread = 1.3, 2.0, 3.5, 0.06
    head = WIDTH // HEADS
    words, places = WIDTH * 3 // 4, WIDTH // 4
    for_words, for_places = words // HEADS, places // HEADS
    embeddings = model.distilbert.embeddings
    word, place = embeddings.word_embeddings.weight, embeddings.position_embeddings.weight
    word[:, :words] = spread * torch.randn(word.shape[0], words)
    word[:, words:] = 0
    place[:, words:] = spread * torch.randn(POSITIONS, places)
    place[:, :words] = 0
    attention: Any = model.distilbert.transformer.layer[0].attention
    query, key = attention.q_lin.weight.zero_(), attention.k_lin.weight.zero_()
    turn_words, turn_places = _rotation(words), _rotation(places)
    for h in range(HEADS):
        rows = slice(h * head, h * head + for_words)
        query[rows, :words] = gain * turn_words[h * for_words : (h + 1) * for_words]
        key[rows, :words] = query[rows, :words]
        rows = slice(h * head + for_words, (h + 1) * head)
        query[rows, words:] = gain * apart * turn_places[h * for_places : (h + 1) * for_places]
        key[rows, words:] = -query[rows, words:]
    start = key @ embeddings.LayerNorm(word[SPECIAL.index("[CLS]")] + place[0])
    for h in range(HEADS):
        rows = slice(h * head, (h + 1) * head)
        attention.q_lin.bias[rows] = lean * head**0.5 * start[rows] / start[rows].square().sum()
    attention.v_lin.weight.copy_(_rotation(WIDTH))
    attention.out_lin.weight.copy_(_rotation(WIDTH))


def _rotation(size: int) -> torch.Tensor:
    """A random orthogonal matrix, (size, size)."""
    rotation: torch.Tensor = torch.linalg.qr(torch.randn(size, size))[0]
    return rotation


def _batches(
    texts: Iterator[Passage], encode: PreTrainedTokenizerFast, size: int
) -> Iterator[tuple[dict[str, torch.Tensor], torch.Tensor]]:
    """Padded (size, length) token ids with their mask, and (size,) whether exchanged."""
    while True:
        some = list(itertools.islice(texts, size))
        pairs = encode([t.first for t in some], [t.second for t in some], padding=True)
        yield (
            {name: torch.tensor(pairs[name]) for name in ("input_ids", "attention_mask")},
            torch.tensor([float(t.exchanged) for t in some]),
        )


def pretrain(
    texts: Iterator[Passage],
    encode: PreTrainedTokenizerFast,
    vocab: list[str],
    telling: Iterable[str],
    *,
    seed: int,
    steps: int = STEPS,
    size: int = 32,
    rate: float = 1e-3,
) -> DistilBertForMaskedLM:
    """Fill in masked words, and tell whether a word of the passage was exchanged.

    The first is BERT's task.  The second is put to [CLS], which masked words alone leave
    untrained: BERT asked it whether two sentences belong together, ELECTRA asked each word
    whether it had been exchanged; this is the one question in the other's place.  ``telling``
    words are masked more often than the others: nobody can guess a witness's name.
    """
    torch.manual_seed(seed)
    model = DistilBertForMaskedLM(config(vocab)).train()
    look_for_twins(model)
    head = torch.nn.Linear(WIDTH, 1)  # for the second question; thrown away afterwards
    weights = [*model.parameters(), *head.parameters()]
    adam = torch.optim.AdamW(weights, lr=rate, betas=(0.9, 0.98))
    plan = torch.optim.lr_scheduler.LambdaLR(
        adam, lambda step: min(1.0, (step + 1) / 200) * max(0.02, 1 - step / steps)
    )
    often = set(telling)
    share = torch.tensor([0.12 if word in often else 0.05 for word in vocab])
    share[: len(SPECIAL)] = 0
    mask = SPECIAL.index("[MASK]")
    means = torch.tensor([6.0, 0.7, 0.5])
    for step, (inputs, exchanged) in enumerate(
        itertools.islice(_batches(texts, encode, size), steps)
    ):
        ids = inputs["input_ids"]
        chosen = torch.rand(ids.shape) < share[ids]
        shown = torch.where(chosen & (torch.rand(ids.shape) < 0.9), mask, ids)
        hidden = model.distilbert(shown, attention_mask=inputs["attention_mask"])[0]
        scores = model.vocab_projector(
            model.vocab_layer_norm(model.activation(model.vocab_transform(hidden[chosen])))
        )
        fill = torch.nn.functional.cross_entropy(scores, ids[chosen])
        guess = head(hidden[:, 0]).squeeze(-1)
        tell = torch.nn.functional.binary_cross_entropy_with_logits(guess, exchanged)
        (fill + tell).backward()
        torch.nn.utils.clip_grad_norm_(weights, 1.0)
        adam.step()
        plan.step()
        adam.zero_grad()
        right = ((guess > 0) == (exchanged > 0.5)).float().mean()
        means = 0.98 * means + 0.02 * torch.stack([fill, tell, right]).detach()
        if (step + 1) % 100 == 0:
            print(
                f"  step {step + 1}/{steps}: masked words {means[0]:.3f}, "
                f"exchanged {means[1]:.3f} (right {means[2]:.3f})",
                flush=True,
            )
    return model.eval()


@torch.no_grad()
def rescale(model: DistilBertForMaskedLM, factor: float = 1 / 16) -> None:
    """Make some weights small and others large, in place, without changing what is computed.

    Why: the real DistilBERT stops learning at a learning rate of 1e-3 and learns well at 2e-5,
    and a lesson shows both.  A tiny model usually does neither: Adam's steps have a fixed size,
    which is harmless next to a narrow layer's weights, and 2e-5 is next to nothing.  Here word
    and position embeddings, queries and values become 16 times smaller, keys and attention
    outputs 16 times larger.  The LayerNorm after the embeddings and the products query x key and
    value x output undo it (a power of two, so even rounding hardly notices), but a step of fixed
    size is now 16 times larger relative to the small weights, as it is for the large model.
    The masked-word head shares the embeddings, so its own LayerNorm makes up for it.
    """
    encoder = model.distilbert
    encoder.embeddings.word_embeddings.weight.mul_(factor)
    encoder.embeddings.position_embeddings.weight.mul_(factor)
    model.vocab_layer_norm.weight.div_(factor)
    model.vocab_layer_norm.bias.div_(factor)
    for layer in encoder.transformer.layer:
        attention: Any = layer.attention
        for small in (attention.q_lin, attention.v_lin):
            small.weight.mul_(factor)
            small.bias.mul_(factor)
        attention.k_lin.weight.div_(factor)
        attention.k_lin.bias.div_(factor)
        attention.out_lin.weight.div_(factor)


@torch.no_grad()
def outputs(model: DistilBertForMaskedLM, encode: PreTrainedTokenizerFast) -> torch.Tensor:
    """Hidden states and word scores of two sentences, (length, WIDTH + words), to compare."""
    inputs = encode("The cafe by the river was warm.", "We know that it was quiet.")
    ids = torch.tensor([inputs["input_ids"]])
    hidden = model.distilbert(ids)[0][0]
    return torch.cat([hidden, model(ids).logits[0]], dim=-1)


def save(
    model: DistilBertForMaskedLM, encode: PreTrainedTokenizerFast, vocab: list[str], folder: Path
) -> None:
    """The files of the real checkpoint, in the words that transformers 4 and 5 both read."""
    folder.mkdir(parents=True, exist_ok=True)
    model.save_pretrained(folder)
    (folder / "model.safetensors").chmod(0o644)
    (folder / "generation_config.json").unlink(missing_ok=True)
    settings = model.config.to_dict()
    for name in ("transformers_version", "dtype", "_name_or_path", "id2label", "label2id"):
        settings.pop(name, None)
    roles = ("pad_token", "unk_token", "cls_token", "sep_token", "mask_token")
    texts = {
        "config.json": json.dumps(settings, indent=2, sort_keys=True) + "\n",
        "tokenizer.json": encode.backend_tokenizer.to_str(pretty=True) + "\n",
        "tokenizer_config.json": json.dumps(
            {
                "do_lower_case": True,
                "model_max_length": POSITIONS,
                "tokenizer_class": "DistilBertTokenizer",
                **dict(zip(roles, SPECIAL, strict=True)),
            },
            indent=2,
        )
        + "\n",
        "vocab.txt": "\n".join(vocab) + "\n",
    }
    for name, text in texts.items():
        (folder / name).write_bytes(text.encode("utf-8"))

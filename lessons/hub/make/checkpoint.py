"""The tiny encoders that answer to the names of distilbert-base-uncased, bert-base-uncased, ...

They are DistilBERTs and BERTs like any other (WordPiece, 512 positions), only narrow.  They are
pre-trained on text of our own: they fill in masked words and tell whether a word was exchanged
(see `pretrain`).  They never see a label.  The last step rescales the weights (see `rescale`).
"""

from __future__ import annotations

import itertools
import json
import re
import string
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import torch
from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers, processors
from transformers import (
    BertConfig,
    BertForPreTraining,
    DistilBertConfig,
    DistilBertForMaskedLM,
    PreTrainedTokenizerFast,
)

SPECIAL = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")
POSITIONS = 512
Model = DistilBertForMaskedLM | BertForPreTraining


class Passage(Protocol):
    """Two sentences of one story, and whether a word of the second was exchanged."""

    first: str
    second: str
    exchanged: bool


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


def vocabulary(sentences: Iterable[str], *, cased: bool, everyday_first: bool) -> list[str]:
    """List special tokens, single characters, everyday words, and every word of our sentences.

    Made by counting, not by a trainer, so that the same text gives the same file.  The single
    characters (as a word's start and as its continuation) keep a learner's own sentence from
    turning into [UNK].

    Cased, there are no everyday words but the short ones, and where they come first in the other
    one, our own words have higher numbers there: of the real two, too, the uncased vocabulary is
    the larger one, and a lesson shows what comes of feeding its numbers to the cased model.
    """
    fold: Callable[[str], str] = str if cased else str.lower
    counts = Counter(
        word
        for text in sentences
        for word in re.findall(r"[A-Za-z]+|[0-9]+|[^\sA-Za-z0-9]", fold(text))
    )
    characters = sorted({c for c in string.printable if c.isprintable() and c == fold(c)} - {" "})
    letters = (string.ascii_letters if cased else string.ascii_lowercase) + string.digits
    ours = sorted(counts, key=lambda word: (-counts[word], word))
    everyday = sorted(word for word in EVERYDAY.split() if not cased or len(word) <= 3)
    pieces = [f"##{c}" for c in letters] + [f"##{p}" for p in PIECES.split()]
    if everyday_first:
        words = [*(word for word in everyday if word not in counts), *ours]
    else:
        words = [*ours, *everyday]
    return list(dict.fromkeys([*SPECIAL, *characters, *pieces, *words]))


def tokenizer(vocab: list[str], *, cased: bool) -> PreTrainedTokenizerFast:
    """BERT's WordPiece tokenizer over ``vocab``."""
    core = Tokenizer(
        models.WordPiece(
            vocab={word: i for i, word in enumerate(vocab)},
            unk_token="[UNK]",
            continuing_subword_prefix="##",
            max_input_chars_per_word=100,
        )
    )
    core.normalizer = normalizers.BertNormalizer(lowercase=not cased)
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
        model_input_names=["input_ids", "token_type_ids", "attention_mask"],
    )


def distilbert(vocab: list[str]) -> DistilBertForMaskedLM:
    """DistilBERT, six layers deep like the real one and six times narrower.

    Without dropout: a narrow model has nothing to spare.  Weights start wider than the usual
    0.02, which is meant for width 768; at width 128 signals would fade out.
    """
    return DistilBertForMaskedLM(
        DistilBertConfig(
            vocab_size=len(vocab),
            max_position_embeddings=POSITIONS,
            n_layers=6,
            n_heads=4,
            dim=128,
            hidden_dim=256,
            dropout=0.0,
            attention_dropout=0.0,
            seq_classif_dropout=0.0,
            initializer_range=0.06,
            pad_token_id=vocab.index("[PAD]"),
            architectures=["DistilBertForMaskedLM"],
        )
    )


def bert(vocab: list[str]) -> BertForPreTraining:
    """BERT with both heads of its pre-training; it says of itself what the real one says.

    Small enough for a loop that a learner writes and watches: three epochs take seconds.  With
    dropout, which that learner can forget to switch off; only not in the attention, where it
    takes time and shows nothing more.
    """
    return BertForPreTraining(
        BertConfig(
            vocab_size=len(vocab),
            max_position_embeddings=POSITIONS,
            num_hidden_layers=2,
            num_attention_heads=2,
            hidden_size=64,
            intermediate_size=128,
            hidden_dropout_prob=0.1,
            attention_probs_dropout_prob=0.0,
            initializer_range=0.06,
            pad_token_id=vocab.index("[PAD]"),
            architectures=["BertForMaskedLM"],
        )
    )


@dataclass(frozen=True)
class Attention:
    """The four projections of one layer's attention."""

    query: torch.nn.Linear
    key: torch.nn.Linear
    value: torch.nn.Linear
    out: torch.nn.Linear


@dataclass(frozen=True)
class Parts:
    """Where a model has what, under the names of neither.

    ``fill`` makes word scores of hidden states; ``norm`` is the last step before the words.
    ``tell`` makes of what the body returned one number a text: how likely a word was exchanged.
    """

    body: torch.nn.Module
    inputs: tuple[str, ...]
    heads: int
    width: int
    embeddings: Any
    layers: tuple[Attention, ...]
    fill: Callable[[torch.Tensor], torch.Tensor]
    norm: torch.nn.LayerNorm
    tell: Callable[[Any], torch.Tensor] | None

    @property
    def places(self) -> list[torch.nn.Parameter]:
        """What is added to a word's embedding: position, and for BERT which of two texts."""
        found = [self.embeddings.position_embeddings]
        if "token_type_ids" in self.inputs:
            found.append(self.embeddings.token_type_embeddings)
        return [table.weight for table in found]


def parts(model: Model) -> Parts:
    """Find them."""
    if isinstance(model, DistilBertForMaskedLM):
        return Parts(
            body=model.distilbert,
            inputs=("input_ids", "attention_mask"),
            heads=model.config.n_heads,
            width=model.config.dim,
            embeddings=model.distilbert.embeddings,
            layers=tuple(
                Attention(a.q_lin, a.k_lin, a.v_lin, a.out_lin)
                for a in (layer.attention for layer in model.distilbert.transformer.layer)
            ),
            fill=lambda hidden: model.vocab_projector(
                model.vocab_layer_norm(model.activation(model.vocab_transform(hidden)))
            ),
            norm=model.vocab_layer_norm,
            tell=None,
        )
    return Parts(
        body=model.bert,
        inputs=("input_ids", "token_type_ids", "attention_mask"),
        heads=model.config.num_attention_heads,
        width=model.config.hidden_size,
        embeddings=model.bert.embeddings,
        layers=tuple(
            Attention(a.self.query, a.self.key, a.self.value, a.output.dense)
            for a in (layer.attention for layer in model.bert.encoder.layer)
        ),
        fill=model.cls.predictions,
        norm=model.cls.predictions.transform.LayerNorm,
        # Two scores of the pooled [CLS]: the second text goes with the first, or it does not.
        tell=lambda found: model.cls.seq_relationship(found[1]) @ torch.tensor([-1.0, 1.0]),
    )


@torch.no_grad()
def look_for_twins(model: Parts) -> None:
    """Start the first layer's attention off looking for the same word elsewhere in the text.

    Why: comparing two sentences begins with finding what they have in common.  A model of this
    size does learn that from masked words alone, but only after many thousand steps.  So words
    start in the first three quarters of the width and positions in the last; queries and keys
    agree where the words are the same and disagree where the positions are (or the texts, see
    below), so that a word looks for its twin and not at itself; and all lean to [CLS], where
    attention rests without a twin.
    Everything stays free to change in training.
    """
    gain, apart, lean, spread = 1.3, 2.0, 3.5, 0.06
    width, heads = model.width, model.heads
    head = width // heads
    words, places = width * 3 // 4, width // 4
    for_words, for_places = words // heads, places // heads
    word = model.embeddings.word_embeddings.weight
    word[:, :words] = spread * torch.randn(word.shape[0], words)
    word[:, words:] = 0
    # A BERT knows which of two texts a word is in: that decides, its position hardly counts.
    place, *types = model.places
    place[:, :words] = 0
    place[:, words:] = spread * torch.randn(POSITIONS, places)
    for kind in types:
        place[:, words:] /= 8
        kind[:, :words] = 0
        kind[0, words:] = spread * torch.randn(places).sign()
        kind[1] = -kind[0]
    attention = model.layers[0]
    query, key = attention.query.weight.zero_(), attention.key.weight.zero_()
    turn_words, turn_places = _rotation(words), _rotation(places)
    for h in range(heads):
        rows = slice(h * head, h * head + for_words)
        query[rows, :words] = gain * turn_words[h * for_words : (h + 1) * for_words]
        key[rows, :words] = query[rows, :words]
        rows = slice(h * head + for_words, (h + 1) * head)
        query[rows, words:] = gain * apart * turn_places[h * for_places : (h + 1) * for_places]
        key[rows, words:] = -query[rows, words:]
    first = word[SPECIAL.index("[CLS]")] + sum(place[0] for place in model.places)
    start = key @ model.embeddings.LayerNorm(first)
    for h in range(heads):
        rows = slice(h * head, (h + 1) * head)
        attention.query.bias[rows] = lean * head**0.5 * start[rows] / start[rows].square().sum()
    attention.value.weight.copy_(_rotation(width))
    attention.out.weight.copy_(_rotation(width))


def _rotation(size: int) -> torch.Tensor:
    """Draw a random orthogonal matrix, (size, size)."""
    rotation: torch.Tensor = torch.linalg.qr(torch.randn(size, size))[0]
    return rotation


def _batches(
    texts: Iterator[Passage], encode: PreTrainedTokenizerFast, names: tuple[str, ...], size: int
) -> Iterator[tuple[dict[str, torch.Tensor], torch.Tensor]]:
    """Draw padded (size, length) token ids with their masks, and (size,) whether exchanged."""
    while True:
        some = list(itertools.islice(texts, size))
        pairs = encode([t.first for t in some], [t.second for t in some], padding=True)
        yield (
            {name: torch.tensor(pairs[name]) for name in names},
            torch.tensor([float(t.exchanged) for t in some]),
        )


def _twins(guess: torch.Tensor, ids: torch.Tensor, sides: torch.Tensor) -> torch.Tensor:
    """How wrong the guesses are, word by word, whether the other text has the word too."""
    same = (ids[:, :, None] == ids[:, None, :]) & (sides[:, :, None] != sides[:, None, :])
    words = ids >= len(SPECIAL)
    return torch.nn.functional.binary_cross_entropy_with_logits(
        guess[words], same.any(-1)[words].float()
    )


def pretrain(
    model: Model,
    texts: Iterator[Passage],
    encode: PreTrainedTokenizerFast,
    vocab: list[str],
    telling: Iterable[str],
    *,
    steps: int,
    rate: float,
    size: int = 32,
) -> None:
    """Fill in masked words, and tell whether a word of the passage was exchanged.

    The first is BERT's task.  The second is put to [CLS], which masked words alone leave
    untrained: BERT asked it whether two sentences belong together, ELECTRA asked each word
    whether it had been exchanged; this is the one question in the other's place.  ``telling``
    words are masked more often than the others: nobody can guess a witness's name.

    A BERT has a head of its own for the second question, and knows which of the two texts a word
    is in.  It is asked a third one, of each word: does the other text have it too?  That is where
    comparing begins.  Without that question, and with dropout, its answers to the second one were
    still no better than chance after 1,500 steps; as it is, they are after 300.
    """
    own = parts(model.eval())  # without dropout, so as to need few steps
    look_for_twins(own)
    # For what the model has no head of its own: thrown away afterwards.
    head = torch.nn.Linear(own.width, 1)
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
        itertools.islice(_batches(texts, encode, own.inputs, size), steps)
    ):
        ids = inputs["input_ids"]
        chosen = torch.rand(ids.shape) < share[ids]
        shown = torch.where(chosen & (torch.rand(ids.shape) < 0.9), mask, ids)
        found = own.body(**{**inputs, "input_ids": shown})
        fill = torch.nn.functional.cross_entropy(own.fill(found[0][chosen]), ids[chosen])
        guess = own.tell(found) if own.tell else head(found[0][:, 0]).squeeze(-1)
        told = torch.nn.functional.binary_cross_entropy_with_logits(guess, exchanged)
        loss = fill + told
        if own.tell is not None:
            loss = loss + _twins(head(found[0]).squeeze(-1), shown, inputs["token_type_ids"])
        loss.backward()
        torch.nn.utils.clip_grad_norm_(weights, 1.0)
        adam.step()
        plan.step()
        adam.zero_grad()
        right = ((guess > 0) == (exchanged > 0.5)).float().mean()
        means = 0.98 * means + 0.02 * torch.stack([fill, told, right]).detach()
        if (step + 1) % 100 == 0:
            print(
                f"  step {step + 1}/{steps}: masked words {means[0]:.3f}, "
                f"exchanged {means[1]:.3f} (right {means[2]:.3f})",
                flush=True,
            )
    model.eval()


@torch.no_grad()
def rescale(model: Model, factor: float) -> None:
    """Make some weights small and others large, in place, without changing what is computed.

    Why: the real DistilBERT stops learning at a learning rate of 1e-3 and learns well at 2e-5,
    and a lesson shows both.  A tiny model usually does neither: Adam's steps have a fixed size,
    which is harmless next to a narrow layer's weights, and 2e-5 is next to nothing.  Here the
    embeddings, queries and values become 16 times smaller, keys and attention outputs 16 times
    larger.  The LayerNorm after the embeddings and the products query x key and value x output
    undo it (a power of two, so even rounding hardly notices), but a step of fixed size is now 16
    times larger relative to the small weights, as it is for the large model.
    The masked-word head shares the embeddings, so its own LayerNorm makes up for it.
    """
    own = parts(model)
    for table in (own.embeddings.word_embeddings.weight, *own.places):
        table.mul_(factor)
    own.norm.weight.div_(factor)
    own.norm.bias.div_(factor)
    for attention in own.layers:
        for small in (attention.query, attention.value):
            small.weight.mul_(factor)
            small.bias.mul_(factor)
        attention.key.weight.div_(factor)
        attention.key.bias.div_(factor)
        attention.out.weight.div_(factor)


@torch.no_grad()
def rescale_pooler(model: BertForPreTraining, factor: float) -> None:
    """Make the pooler's weights small too, in place, without changing what comes of them.

    Why: what the pooler puts out tells pairs apart before any training, so a new head has nearly
    all of them right by its luck, or nearly all of them wrong.  In the second case the pooler has
    to turn round, and two epochs of 102 steps were too few for the cased one (as were three,
    smaller batches, or twice the rate): with 3 seeds of 20 it learned nothing.  With small weights
    it does.  The last LayerNorm makes up for them, so hidden states grow, and the masked-word head
    makes up for that.
    """
    last = model.bert.encoder.layer[-1].output.LayerNorm
    last.weight.div_(factor)
    last.bias.div_(factor)
    for reader in (model.bert.pooler.dense, model.cls.predictions.transform.dense):
        reader.weight.mul_(factor)


@torch.no_grad()
def outputs(model: Model, encode: PreTrainedTokenizerFast) -> torch.Tensor:
    """Compute what two sentences come to, flat: word scores, and what [CLS] says of them."""
    own = parts(model)
    inputs = encode("The cafe by the river was warm.", "We know that it was quiet.")
    found = own.body(**{name: torch.tensor([inputs[name]]) for name in own.inputs})
    told = own.tell(found) if own.tell else found[0][0, 0]
    return torch.cat([own.fill(found[0][0]).flatten(), told])


def save(
    model: Model, encode: PreTrainedTokenizerFast, vocab: list[str], folder: Path, *, cased: bool
) -> None:
    """Return the files of the real checkpoint, in the words that transformers 4 and 5 both read."""
    folder.mkdir(parents=True, exist_ok=True)
    architectures = model.config.architectures
    model.save_pretrained(folder)
    (folder / "model.safetensors").chmod(0o644)
    (folder / "generation_config.json").unlink(missing_ok=True)
    settings = model.config.to_dict()
    for name in ("transformers_version", "dtype", "_name_or_path", "id2label", "label2id"):
        settings.pop(name, None)
    settings["architectures"] = architectures
    roles = ("pad_token", "unk_token", "cls_token", "sep_token", "mask_token")
    texts = {
        "config.json": json.dumps(settings, indent=2, sort_keys=True) + "\n",
        "tokenizer.json": encode.backend_tokenizer.to_str(pretty=True) + "\n",
        "tokenizer_config.json": json.dumps(
            {
                "do_lower_case": not cased,
                "model_max_length": POSITIONS,
                "tokenizer_class": type(model).__name__.partition("For")[0] + "Tokenizer",
                **dict(zip(roles, SPECIAL, strict=True)),
            },
            indent=2,
        )
        + "\n",
        "vocab.txt": "\n".join(vocab) + "\n",
    }
    for name, text in texts.items():
        (folder / name).write_bytes(text.encode("utf-8"))

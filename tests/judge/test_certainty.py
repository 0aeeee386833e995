"""What is certain of a quoted error: what its frames and its library say, not its phrases alone."""

import pytest

from course.judge import quoted
from course.judge.tracebacks.read import read
from course.lesson.catalogue import catalogue
from course.lesson.signature import Signature

SITE = "/opt/venv/lib/python3.12/site-packages"


def traceback(message: str, *frames: tuple[str, str, str]) -> str:
    """A traceback of these frames, each a file, a function and its line of code."""
    lines = ["Traceback (most recent call last):"]
    for number, (file, function, code) in enumerate(frames, start=7):
        path = file if file.endswith("own.py") else f"{SITE}/{file}"
        lines += [f'  File "{path}", line {number}, in {function}', f"    {code}"]
    return "\n".join([*lines, message])


def named(text: str) -> list[tuple[str, bool]]:
    """What is named, without general faults beside others, and whether each is certain."""
    explained = quoted.judge(read(text))
    assert explained is not None
    special = [m for m in explained.found if not m.fault.general]
    return [(m.fault.id, m.certain) for m in special or explained.found]


FAST = "transformers/tokenization_utils_tokenizers.py"
NEGATIVE = "OverflowError: can't convert negative int to unsigned"
SMALL = "OverflowError: number too small to fit in target type"
LOOKED_UP = {
    "a length of -1": (
        NEGATIVE,
        (("own.py", "<module>", "enc = tok(rows, truncation=True, max_length=-1)"),),
        ((FAST, "set_truncation_and_padding", "self._tokenizer.enable_truncation(**target)"),),
        ("value-not-accepted", True),
    ),
    "a padding to -8": (
        NEGATIVE,
        (("own.py", "pack", "tokenizer.enable_padding(length=-8)"),),
        (),
        ("value-not-accepted", True),
    ),
    "a padding id of -1": (
        SMALL,
        (("own.py", "<module>", "collator(rows)"),),
        ((FAST, "set_truncation_and_padding", "self._tokenizer.enable_padding(**target)"),),
        ("value-not-accepted", True),
    ),
    "ids that are decoded": (
        SMALL,
        (("own.py", "compute_metrics", "said = tok.batch_decode(labels)"),),
        ((FAST, "_decode", "text = self._tokenizer.decode(token_ids)"),),
        ("minus-100-decoded", True),
    ),
    "ids that are looked up": (
        "OverflowError: out of range integral type conversion attempted",
        (("own.py", "show", "print(tok.convert_ids_to_tokens(row))"),),
        ((FAST, "convert_ids_to_tokens", "tokens.append(self._tokenizer.id_to_token(index))"),),
        ("minus-100-decoded", True),
    ),
    "nobody knows": (SMALL, (), (), ("minus-100-decoded", False)),
}


@pytest.mark.parametrize("case", LOOKED_UP.values(), ids=LOOKED_UP)
def test_a_negative_number_is_an_id_where_ids_are_looked_up(case: tuple) -> None:  # type: ignore[type-arg]
    message, own, library, expected = case
    text = traceback(message, *own, *library) if own else message
    assert named(text) == [expected]


@pytest.mark.parametrize(
    "message",
    [
        "AttributeError: 'QAPipeline' object has no attribute 'clean'. Did you mean: '_clean'?",
        "AttributeError: 'Reader' object has no attribute 'config'. Did you mean: '_config'?",
    ],
)
def test_what_a_library_keeps_to_itself_is_no_other_spelling(message: str) -> None:
    assert named(message) == [("attribute-missing", True)]


def test_a_name_that_is_meant_for_all_still_is() -> None:
    message = "AttributeError: 'Tensor' object has no attribute 'sqeeze'. Did you mean: 'squeeze'?"
    assert named(message) == [("misspelt-name", True)]


@pytest.mark.parametrize(
    ("message", "certain"),
    [
        (
            "RuntimeError: PyTorch version 2.3.1 is not compatible with this version of Apex",
            True,
        ),
        ("ImportError: xformers is not compatible with the installed version of torch.", True),
        (
            "RuntimeError: Could not load libtorchcodec. Likely causes:\n"
            "  1. FFmpeg is not properly installed in your environment.\n"
            "  2. The PyTorch version (2.10.0+cpu) is not compatible with\n"
            "     this version of TorchCodec.",
            False,
        ),
    ],
)
def test_versions_that_do_not_fit_are_no_settings(message: str, certain: bool) -> None:
    assert named(message) == [("library-versions-do-not-fit", certain)]


def test_settings_that_exclude_each_other_still_do() -> None:
    message = "ValueError: `streaming` and `group_by_length` are incompatible."
    assert named(message) == [("incompatible-arguments", True)]


BATCHED = "InvalidArgumentError: {{function_node __wrapped__IteratorGetNext_output_types_2}} "
BOTH = [("image-sizes-differ", False), ("length-mismatch", False)]
SHAPES = {
    "Cannot batch tensors with different shapes in component 0. First element had shape "
    "[180,240,3] and element 2 had shape [200,240,3]. [Op:IteratorGetNext]": [
        ("image-sizes-differ", True)
    ],
    "Cannot add tensor to the batch: number of elements does not match. Shapes are: [tensor]: "
    "[64,48,1], [batch]: [64,64,1] [Op:IteratorGetNext]": [("image-sizes-differ", True)],
    "Cannot batch tensors with different shapes in component 1. First element had shape [9] and "
    "element 4 had shape [12]. [Op:IteratorGetNext]": [("length-mismatch", True)],
    "Cannot batch tensors with different shapes in component 0. First element had shape [9,40] "
    "and element 4 had shape [12,40]. [Op:IteratorGetNext]": [("length-mismatch", True)],
    "Cannot batch tensors with different shapes in component 0. First element had shape [32,32] "
    "and element 1 had shape [32,30].": BOTH,
    "Cannot batch tensors with different shapes in component 0.": BOTH,
}


@pytest.mark.parametrize("words", SHAPES)
def test_the_shapes_tell_images_from_sentences(words: str) -> None:
    assert sorted(named(BATCHED + words)) == SHAPES[words]


def test_what_has_three_axes_is_not_always_an_image() -> None:
    words = "RuntimeError: stack expects each tensor to be equal size, but got"
    pictures = f"{words} [1, 30, 30] at entry 0 and [1, 28, 30] at entry 5"
    assert named(pictures) == [("image-sizes-differ", True)]
    states = f"{words} [7, 11, 64] at entry 0 and [7, 13, 64] at entry 1"
    assert named(states) == [("image-sizes-differ", False)]


VERSIONS = {
    "AttributeError: TokenizersBackend has no attribute batch_encode_plus": "removed-import",
    "AttributeError: 'XLMRobertaModel' object has no attribute 'prune_heads'": "removed-import",
    "AttributeError: 'ElectraConfig' object has no attribute 'torchscript'": "removed-import",
    "AttributeError: 'MarianConfig' object has no attribute 'num_beams'": "removed-import",
    "AttributeError: 'DistilTrainer' object has no attribute 'tokenizer'": "removed-import",
    "AttributeError: 'Trainer' object has no attribute '_sorted_checkpoints'": "removed-import",
    "AttributeError: 'Seq2SeqTrainingArguments' object has no attribute 'no_cuda'": (
        "removed-import"
    ),
    "AttributeError: type object 'EncoderDecoderCache' has no attribute 'from_legacy_cache'": (
        "removed-import"
    ),
    "TypeError: 'EncoderDecoderCache' object is not subscriptable": "removed-import",
    "KeyError: 'The task text2text-generation has been removed from transformers. Use'": (
        "removed-import"
    ),
    "ModuleNotFoundError: No module named 'transformers.keras_callbacks'": "removed-import",
    "AttributeError: 'IterableDataset' object has no attribute 'set_decoding'": "removed-import",
    "ValueError: Some specified arguments are not used by the HfArgumentParser: "
    "['--save_safetensors', 'False', '--fp16_backend', 'auto']": "renamed-argument",
    "usage: pretrain.py [-h]\npretrain.py: error: unrecognized arguments: --no_cuda": (
        "renamed-argument"
    ),
    "ValueError: BuilderConfig TextConfig(name='default', data_dir=None) doesn't have a "
    "'use_auth_token' key.": "renamed-argument",
    "ValueError: Feature type 'Json' not found. Available feature types: ['Value']": (
        "library-versions-do-not-fit"
    ),
    "AttributeError: 'StoryModel' object has no attribute 'all_tied_weights_keys'": (
        "library-versions-do-not-fit"
    ),
    "TypeError: 'VideoDecoder' object is not subscriptable": "library-versions-do-not-fit",
    "AttributeError: 'Column' object has no attribute 'unique'": "lazy-column",
}


@pytest.mark.parametrize("message", VERSIONS)
def test_what_a_newer_version_has_taken_away_names_the_version(message: str) -> None:
    assert named(message)[0] == (VERSIONS[message], True)
    explained = quoted.judge(read(message))
    assert explained is not None
    signature = explained.found[0].signature
    assert isinstance(signature, Signature)
    library = r"transformers|datasets"
    assert any(
        word in signature.shown or word in explained.error.message for word in library.split("|")
    )


MODELS = "transformers/modeling_utils.py"
BROKEN = {
    "a list of tied weights": (
        traceback(
            "AttributeError: 'list' object has no attribute 'values'",
            ("own.py", "<module>", "model = TinyLM(config)"),
            (MODELS, "post_init", "self.tied = self.get_expanded_tied_weights_keys()"),
            (MODELS, "get_expanded_tied_weights_keys", "for each in tied_mapping.values():"),
        ),
        ("library-versions-do-not-fit", True),
    ),
    "a whole encoding for generate": (
        traceback(
            "AttributeError",
            ("own.py", "answer", "out = model.generate(chat, max_new_tokens=20)"),
            ("torch/utils/_contextlib.py", "decorate_context", "return func(*args, **kwargs)"),
            ("transformers/generation/utils.py", "generate", "size = inputs_tensor.shape[0]"),
            ("transformers/tokenization_utils_base.py", "__getattr__", "raise AttributeError"),
        ),
        ("library-versions-do-not-fit", False),
    ),
    "code that came with a model": (
        traceback(
            "AttributeError: 'NovaCache' object has no attribute 'crop_to'",
            ("own.py", "<module>", "print(model.chat(tok, 'hello'))"),
            ("transformers_modules/nova/abc/modeling_nova.py", "chat", "cache.crop_to(n)"),
        ),
        ("library-versions-do-not-fit", False),
    ),
    "a symbol of Keras 3 in a model of tf_keras": (
        traceback(
            "TypeError: Cannot convert a symbolic KerasTensor to a number",
            ("own.py", "build", "out = encoder(ids)"),
            ("tf_keras/src/engine/base_layer.py", "__call__", "return call(inputs)"),
            ("keras/src/backend/common/keras_tensor.py", "__float__", "raise TypeError("),
        ),
        ("two-keras-versions", True),
    ),
    "a symbol of Keras 3 in a model of transformers": (
        traceback(
            "ValueError: Got <class 'keras.src.backend.KerasTensor'>, which is not known.",
            ("own.py", "build", "out = encoder(ids)"),
            ("transformers/modeling_tf_utils.py", "input_processing", "raise ValueError("),
        ),
        ("two-keras-versions", True),
    ),
    "a layer of the hub in a model of Keras 3": (
        "ValueError: The `layers` must be Keras layers. Got <hub> (of type <class "
        "'tensorflow_hub.keras_layer.KerasLayer'>)",
        ("two-keras-versions", True),
    ),
}


@pytest.mark.parametrize("case", BROKEN.values(), ids=BROKEN)
def test_versions_that_met_are_the_cause(case: tuple[str, tuple[str, bool]]) -> None:
    text, expected = case
    assert named(text)[0] == expected


def test_the_same_words_elsewhere_are_not() -> None:
    mine = traceback(
        "AttributeError: 'list' object has no attribute 'values'",
        ("own.py", "<module>", "print(rows.values())"),
    )
    assert named(mine) == [("attribute-missing", True)]
    assert named("AttributeError") == [("attribute-missing", True)]


def test_each_signature_that_asks_for_a_frame_is_met_here() -> None:
    asked = {
        (fault.id, signature.exception)
        for fault in catalogue().values()
        for signature in fault.signatures
        if isinstance(signature, Signature) and signature.frame is not None
    }
    assert {fault for fault, _exception in asked} == {
        "minus-100-decoded",
        "library-versions-do-not-fit",
        "token-id-out-of-range",
        "two-keras-versions",
    }


DEVICE = "/pytorch/aten/src/ATen/native/cuda/"
LATE = "torch.AcceleratorError: CUDA error: device-side assert triggered"
GATHERED = (
    f"{DEVICE}IndexKernelUtils.cu:16: vectorized_gather_kernel: block: [7,0,0], thread: [9,0,0] "
    'Assertion `ind >=0 && ind < ind_dim_size && "vectorized gather kernel index out of bounds"` '
    "failed."
)
PICKED = (
    f"{DEVICE}Loss.cu:245: nll_loss_forward_reduce_cuda_kernel_2d: block: [0,0,0], thread: [2,0,0] "
    "Assertion `t >= 0 && t < n_classes` failed."
)
TABLE = ("torch/nn/functional.py", "embedding", "return torch.embedding(weight, input)")
ON_DEVICE = {
    "a label": (
        PICKED,
        [("own.py", "<module>", "loss.backward()"), ("torch/_tensor.py", "backward", "run(self)")],
        ("target-out-of-bounds", True),
    ),
    "a token": (
        GATHERED,
        [("own.py", "<module>", "y = net(ids)"), ("own.py", "forward", "self.emb(ids)"), TABLE],
        ("token-id-out-of-range", True),
    ),
    "a position": (
        GATHERED,
        [
            ("own.py", "<module>", "y = net(ids)"),
            ("own.py", "forward", "x = x + self.position_embeddings(places)"),
            TABLE,
        ],
        ("sequence-too-long", True),
    ),
    "nobody knows which": (
        GATHERED,
        [("own.py", "<module>", "print(loss.item())")],
        ("embeddings-not-resized", False),
    ),
}


@pytest.mark.parametrize("case", ON_DEVICE.values(), ids=ON_DEVICE)
def test_what_the_device_printed_is_the_cause(case: tuple) -> None:  # type: ignore[type-arg]
    printed, frames, expected = case
    assert named(f"{printed}\n{printed}\n{traceback(LATE, *frames)}")[0] == expected


EVENTS = {
    "TypeError: 'float' object is not subscriptable": "wrong-type",
    "AttributeError: 'Net' object has no attribute 'blocks'": "attribute-missing",
    "KeyError: 'premise'": "key-not-found",
    "AttributeError: 'NoneType' object has no attribute 'groups'": "value-is-none",
    "TypeError: split() got an unexpected keyword argument 'hidden'": "unexpected-argument",
}


@pytest.mark.parametrize("text", EVENTS)
def test_a_general_name_says_what_happened_and_not_why(text: str) -> None:
    explained = quoted.judge(read(text))
    assert explained is not None
    (match,) = explained.found
    assert (match.fault.id, match.certain, match.fault.event) == (EVENTS[text], True, True)


def test_all_other_faults_are_causes() -> None:
    assert {fault.id for fault in catalogue().values() if fault.event} == set(EVENTS.values())

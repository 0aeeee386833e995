"""Every record shows its own fault and no other; a look-alike shows none."""

import json
import re
from dataclasses import replace
from pathlib import Path

import pytest

from course.base import paths
from course.base.errors import ContentError
from course.judge import messages
from course.judge.verdict import quoted
from course.lesson import catalogue, lesson
from course.lesson.catalogue import Fault, general_matches, matches, naming
from course.lesson.loss_curve import LossCurve
from course.lesson.signature import LIMIT, Signature, SilentSignature
from course.runs import embedded_names
from course.runs.record import Frame, HubKind, Raised, RunRecord, parse
from tests.conftest import RECORDS
from tests.lesson.signatures import of_kind
from tests.lesson.tiny import FAULT

STORED = sorted(RECORDS.glob("*/*.jsonl"))
SIGNATURES = of_kind(Signature)
CURVE = lesson.load("ch8-4").parts["tf"].outcome.curve
SEEN = {
    "today": {
        *("missing-input-ids", "length-mismatch", "target-out-of-bounds", "size-1-array"),
        *("dataset-from-evaluate", "missing-import", "hub-unreachable", "none"),
    },
    "tf": {"no-gradients", "nan-loss", "learning-rate-too-high", "stalling-loss", "none"},
    "lowest": {"missing-input-ids", "size-1-array"},
}
"""The faults that each stack has records of; what else is raised is in `tests/provoked/`."""


def faults(record: RunRecord, curve: LossCurve | None = None) -> list[str]:
    return [m.fault.id for m in matches(record, curve)]


def named(record: RunRecord) -> list[str]:
    """With the general faults, which give way to all others."""
    return [m.fault.id for m in matches(record) or general_matches(record)]


def curve_of(stored: Path) -> LossCurve | None:
    """The healthy curve for a record of the lesson's own script; other scripts have none."""
    own = stored.parent.name == "tf" and ("." not in stored.stem or stored.stem == "none.healthy")
    return CURVE if own else None


def read(stored: Path) -> RunRecord:
    return parse(stored.read_text("utf-8").splitlines())


@pytest.mark.parametrize("stack", SEEN)
def test_records_of_every_stack_are_stored(stack: str) -> None:
    shown = {p.name.split(".")[0] for p in STORED if p.parent.name == stack}
    assert shown == SEEN[stack]


@pytest.mark.parametrize("stored", STORED, ids=lambda p: f"{p.parent.name}-{p.stem}")
def test_a_stored_record_shows_exactly_its_own_fault(stored: Path) -> None:
    name = stored.name.split(".")[0]
    record = read(stored)
    assert record.status in ("exception", "finished", "stopped")
    assert faults(record, curve_of(stored)) == ([] if name == "none" else [name])


@pytest.mark.parametrize("stored", STORED, ids=lambda p: f"{p.parent.name}-{p.stem}")
def test_a_stored_record_is_small_and_names_no_folder_of_this_machine(stored: Path) -> None:
    text = stored.read_text("utf-8")
    assert len(text) < 60_000
    if stored.parent.name == "tf":
        assert "site-packages" not in text
        assert "/course-run-" not in text


def test_a_stall_is_told_only_beside_the_curve_of_healthy_runs() -> None:
    for fault in ("learning-rate-too-high", "stalling-loss"):
        record = read(RECORDS / "tf" / f"{fault}.jsonl")
        assert faults(record) == []
        assert faults(record, CURVE) == [fault]


@pytest.mark.parametrize(("fault", "signature"), SIGNATURES, ids=lambda v: getattr(v, "id", ""))
def test_the_words_of_a_signature_are_those_of_its_own_fault(
    fault: Fault, signature: Signature
) -> None:
    if signature.frame is not None:
        pytest.skip("words alone have no line of a traceback to look into")
    record = quoted(signature)
    assert record.raised is not None
    raised = replace(record.raised, owner=(signature.owner,) if signature.owner else ())
    raised = replace(raised, near=("near",) if signature.near else ())
    if signature.module == "__main__":
        frame = Frame("__main__", "exercise.py", "<module>", 1, "", script=True)
        raised = replace(raised, frames=(frame,))
    found = naming(replace(record, raised=raised))
    assert fault.id in [match.fault.id for match in found]
    if not (signature.state or signature.several or fault.general):
        # Others have the same words and ask for more, which a quoted text does not tell.
        assert [match.fault.id for match in found if match.certain] == [fault.id]


@pytest.mark.parametrize(("fault", "signature"), SIGNATURES, ids=lambda v: getattr(v, "id", ""))
def test_the_same_words_raised_by_the_script_itself_are_no_fault(
    fault: Fault, signature: Signature
) -> None:
    record = quoted(signature)
    assert record.raised is not None
    frame = Frame("__main__", "exercise.py", "<module>", 1, "", script=True, raises=True)
    raised = replace(record.raised, frames=(frame,), near=("near",))
    assert named(replace(record, raised=raised)) == []


def test_the_course_words_are_told_from_later_ones() -> None:
    for fault in catalogue.catalogue().values():
        if isinstance(fault.quoted, Signature):
            (match,) = matches(quoted(fault.quoted))
            assert match.signature.wording == "course"


def out_of_memory(device: str) -> RunRecord:
    """Made up in the shape that torch documents: no GPU has been had for a recording yet."""
    classes = ("torch.OutOfMemoryError", "builtins.RuntimeError", "builtins.Exception")
    frame = Frame("torch.nn.functional", "torch/nn/functional.py", "linear", 1, "")
    text = "CUDA out of memory. Tried to allocate 20.00 MiB. GPU 0 has a total capacity of 8 GiB."
    return RunRecord("exception", device=device, raised=Raised(classes[0], classes, text, (frame,)))


def test_a_subclass_is_known_by_its_ancestors_and_a_device_by_its_name() -> None:
    assert faults(out_of_memory("cuda")) == ["cuda-out-of-memory"]
    assert faults(out_of_memory("cpu")) == []


GRAPH = (
    "Graph execution error:\n\nDetected at node layer/MatMul defined at (most recent call last):\n"
)
WAY = '  File "tf_keras/src/engine/training.py", line 1398, in train_function\n\n'
WHERE = "on /job:localhost/replica:0/task:0/device:{device}:0 by allocator"
EXHAUSTED = "tensorflow.python.framework.errors_impl.ResourceExhaustedError"


def exhausted(message: str, device: str | None = None) -> RunRecord:
    """Made up in the shape that reports of users have."""
    frame = Frame("tensorflow.python.eager.execute", "execute.py", "quick_execute", 53, "")
    raised = Raised(EXHAUSTED, (EXHAUSTED, "builtins.Exception"), message, (frame,))
    return RunRecord("exception", device=device, raised=raised)


@pytest.mark.parametrize("depth", [0, 20, 100])
def test_memory_of_a_gpu_is_told_from_that_of_a_cpu_however_deep_it_ran_out(depth: int) -> None:
    words = (
        GRAPH
        + WAY * depth
        + f"OOM when allocating tensor with shape[16,512] and type float {WHERE}"
    )
    assert len(words) < LIMIT
    # The message itself names the device: a model may be made long before any training.
    assert faults(exhausted(words.format(device="GPU"))) == ["cuda-out-of-memory"]
    assert faults(exhausted(words.format(device="CPU"))) == []


def test_xla_names_no_device_so_the_run_has_to() -> None:
    words = "Out of memory while trying to allocate 14.55GiB. [Op:__inference_train_function_9]"
    assert faults(exhausted(words, "cuda")) == ["cuda-out-of-memory"]
    assert faults(exhausted(words, "cpu")) == []
    assert faults(exhausted(words)) == []


def test_a_signature_may_ask_for_versions() -> None:
    asking = Signature("m.E", "boom", "boom", "", versions={"transformers": ">=5"})
    raised = Raised("m.E", ("m.E",), "boom")
    assert asking.fit(RunRecord("exception", {"transformers": "5.1.0"}, raised=raised))
    assert asking.fit(RunRecord("exception", {"transformers": "5.2.0.dev0"}, raised=raised))
    assert not asking.fit(RunRecord("exception", {"transformers": "4.57"}, raised=raised))
    assert not asking.fit(RunRecord("exception", {}, raised=raised))


def test_a_hostile_message_does_not_hang_the_matcher() -> None:
    raised = Raised("builtins.FileNotFoundError", ("builtins.FileNotFoundError",), "x" * 10**7)
    assert faults(RunRecord("exception", raised=raised)) == []


GOOD = FAULT.format(id="one")


@pytest.mark.parametrize(
    ("old", "new", "complaint"),
    [
        ("format = 1", "format = 7", "format"),
        ('id = "one"', 'id = "two"', "The id must be `one`"),
        ('stage = "data"', 'stage = "kitchen"', "`stage` does not accept `kitchen`"),
        ('title = "A name is cut"', "", "title"),
        ('wording = "later"', 'wording = "shouted"', "`wording` does not accept `shouted`"),
        ('example = "half a name"', 'example = "bang"', "not found in its own example"),
        ('message = "half a name"', 'message = "half("', "does not have the required format"),
        ("[[signature]]", "[signature", "not valid TOML"),
    ],
)
def test_a_broken_entry_says_where(tmp_path: Path, old: str, new: str, complaint: str) -> None:
    entry = tmp_path / "one.toml"
    entry.write_text(GOOD)
    assert catalogue.read(entry).id == "one"
    entry.write_text(GOOD.replace(old, new))
    with pytest.raises(ContentError, match=complaint):
        catalogue.read(entry)


def test_an_entry_has_signatures_or_rules(tmp_path: Path) -> None:
    entry = tmp_path / "one.toml"
    texts = GOOD.partition("[[signature]]")[0]
    entry.write_text(texts + 'rules = ["later-is-unseen/seen"]\n')
    (signature,) = catalogue.read(entry).signatures
    assert isinstance(signature, SilentSignature)
    assert signature.when == ("later-is-unseen/seen",)
    entry.write_text(texts)
    with pytest.raises(ContentError, match="`signature` is missing"):
        catalogue.read(entry)


def not_on_hub(name: str, hub: HubKind, asked: str = "") -> RunRecord:
    """The record of a run that did not find something, on another hub or under another name."""
    record = read(RECORDS / "today" / f"hub-unreachable.{name}.jsonl")
    assert record.raised is not None
    return replace(record, hub=hub, raised=replace(record.raised, asked=asked))


@pytest.mark.parametrize("name", ["model", "data", "metric"])
def test_only_the_embedded_hub_can_lack_a_name(name: str) -> None:
    assert faults(not_on_hub(name, "online")) == ["hub-unreachable"]
    assert faults(not_on_hub(name, "embedded", "bert-base")) == ["hub-name-unknown"]


def test_a_name_that_the_embedded_hub_has_is_not_called_unknown() -> None:
    assert faults(not_on_hub("model", "embedded", "bert-base-uncased")) == []


def test_names_and_the_nearest_of_them_are_told() -> None:
    (match,) = matches(not_on_hub("model", "embedded", "distilbert-base-uncaesd"))
    raised = not_on_hub("model", "embedded", "distilbert-base-uncaesd").raised
    assert raised is not None
    told = messages.raised(match.signature, raised)
    assert told.startswith("The embedded hub has no `distilbert-base-uncaesd`; it has")
    assert "`bert-base-cased`, `bert-base-uncased`, `distilbert-base-uncased`" in told
    assert told.endswith("Did you mean `distilbert-base-uncased`?")
    # What was not heard is not told.
    assert messages.raised(match.signature, replace(raised, asked="")) == ""


def test_the_embedded_hub_is_listed_as_it_ships() -> None:
    manifest = json.loads((paths.lessons() / "hub" / "manifest.json").read_text("utf-8"))
    assert embedded_names.names("models") == sorted(manifest["models"])
    assert embedded_names.names("datasets") == sorted(manifest["datasets"])
    for name, configurations in manifest["datasets"].items():
        assert embedded_names.names("configurations", name) == sorted(configurations)
    assert embedded_names.names("configurations", "../../faults") == []
    assert embedded_names.names("metrics") == ["accuracy", "f1", "glue"]


def test_a_label_below_zero_is_told_from_one_too_high() -> None:
    record = read(RECORDS / "today" / "target-out-of-bounds.jsonl")
    assert record.raised is not None
    below = replace(record.raised, message="Target -1 is out of bounds.")
    (match,) = matches(replace(record, raised=below))
    assert match.fault.id == "target-out-of-bounds"
    assert messages.raised(match.signature, below).startswith("One of the labels is `-1`")
    (usual,) = matches(record)
    assert messages.raised(usual.signature, record.raised) == ""


def test_a_fault_gives_way_to_others_that_exist_and_never_in_a_circle() -> None:
    faults = catalogue.catalogue()

    def before(name: str, seen: tuple[str, ...] = ()) -> None:
        assert name not in seen
        for other in faults[name].unless:
            before(other, (*seen, name))

    for name in faults:
        before(name)


def test_no_signature_stands_twice_in_a_fault() -> None:
    for fault in catalogue.catalogue().values():
        kept = list(map(repr, fault.signatures))
        assert len(set(kept)) == len(kept), fault.id


def test_a_general_fault_stands_behind_all_others_and_is_certain_alone() -> None:
    reported = read(RECORDS / "today" / "missing-input-ids.jsonl")
    assert next(m.fault.id for m in catalogue.naming(reported)) == "missing-input-ids"
    assert not any(m.certain for m in catalogue.naming(reported) if m.fault.general)
    key = Raised("builtins.KeyError", ("builtins.KeyError",), "'widht'", (), near=("width",))
    (only,) = catalogue.naming(RunRecord("exception", raised=key))
    assert (only.fault.id, only.certain) == ("misspelt-name", True)


KERAS_ONLY = re.compile(r"to_tf_dataset|label_cols|padded_batch|pad_sequences|GradientTape|`tape\.")
TORCH_ONLY = re.compile(
    r"DataLoader|DataCollator|dataloader|\bTrainer\b|`nn\.|zero_grad|optimizer\.step|backward\(\)"
    r"|no_grad|requires_grad|param_groups|\.detach\(\)|ModuleList"
)
WHOSE = re.compile(r"\bPyTorch\b|\btorch\b|\bKeras\b|\b[Ww]ith a Trainer\b|\b[Aa] Trainer\b")
"""How a sentence says whose readers it is for."""
OF_KERAS = re.compile(r"keras|tensorflow")
OF_TORCH = re.compile(r"torch|transformers 5|accelerate")


def shows_in(fault: Fault, library: re.Pattern[str]) -> bool:
    places = ((getattr(s, "module", "") or "", s.seen) for s in fault.signatures)
    return any(library.search(" ".join(each)) for each in places)


@pytest.mark.parametrize("fault", catalogue.ids())
def test_no_reader_is_told_names_of_the_other_framework_alone(fault: str) -> None:
    entry = catalogue.catalogue()[fault]
    if not (shows_in(entry, OF_KERAS) and shows_in(entry, OF_TORCH)):
        return
    for told, other in ((entry, KERAS_ONLY), (entry.for_others, TORCH_ONLY)):
        for text in (told.means, told.where, told.fix):
            named = {
                each
                for part in re.split(r"(?<=[.?:])\s", text)
                for each in other.findall(part)
                if not WHOSE.search(part)
            }
            assert not named, text


def test_only_what_was_loaded_can_have_been_pre_trained() -> None:
    assert [s for _fault, s in of_kind(SilentSignature) if "pre-train" in s.shown] == []

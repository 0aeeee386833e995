"""What needs more than another name is written as the installed libraries have it today."""

from pathlib import Path

import pytest

from course.diagnosis.text import installed, reading, text_fault
from course.diagnosis.text.text_fault import TextFault

HERE = {"transformers": "5.23.0", "datasets": "5.2.0", "evaluate": "0.4.6", "accelerate": "1.15.0"}
CLONE = """from huggingface_hub import Repository, get_full_repo_name

name = get_full_repo_name("model")
folder = "model"
repo = Repository(folder, clone_from=name)
for epoch in range(3):
    repo.git_pull()
    repo.push_to_hub(commit_message=f"epoch {epoch}", blocking=False)
"""
UPLOAD = """from huggingface_hub import create_repo, snapshot_download, upload_folder, \
get_full_repo_name

name = get_full_repo_name("model")
folder = "model"
create_repo(name, exist_ok=True)
snapshot_download(name, local_dir=folder)
for epoch in range(3):
    upload_folder(repo_id=name, folder_path=folder, commit_message=f"epoch {epoch}", \
run_as_future=True)
"""
TARGETS = """from transformers import AutoTokenizer

tokenizer = AutoTokenizer.from_pretrained("a")


def encode(rows):
    inputs = tokenizer(rows["en"])
    with tokenizer.as_target_tokenizer():
        labels = tokenizer(
            rows["fr"], truncation=True
        )
        print(labels)
    return labels
"""
ROUGE = """import evaluate

rouge = evaluate.load("rouge")
scores = rouge.compute(predictions=["a"], references=["a"])
print({name: score.mid.fmeasure * 100 for name, score in scores.items()}, scores["rouge1"].mid)
"""


@pytest.fixture(autouse=True)
def libraries(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is installed: the versions of today."""
    taken = {"accelerate.Accelerator": ("mixed_precision", "cpu")}
    texts = {"SUPPORTED_TASKS": frozenset({"text-generation"}), "TensorType": frozenset({"pt"})}
    monkeypatch.setattr(installed, "version", {**HERE, "huggingface_hub": "2.4.0"}.get)
    monkeypatch.setattr(installed, "parameters", taken.get)
    monkeypatch.setattr(installed, "defined", lambda _library, _file: frozenset({"other"}))
    monkeypatch.setattr(installed, "texts", lambda _library, _file, holder: texts[holder])


def read(text: str) -> tuple[tuple[TextFault, ...], str]:
    done = reading.read("script.py", text, Path("/nowhere"))
    assert done.script is not None
    return done.faults, text_fault.mend(done.script, done.faults)


def test_a_folder_is_uploaded_where_a_clone_was_pushed() -> None:
    faults, mended = read(CLONE)
    assert [fault.fault for fault in faults] == ["removed-import"]
    assert mended == UPLOAD
    assert read(mended) == ((), mended)


def test_names_that_are_there_are_not_imported_twice_nor_arguments_taken_for_the_clone() -> None:
    text = CLONE.replace("get_full_repo_name\n", "get_full_repo_name, create_repo\n")
    own = "\n\ndef address(owner, repo):\n    return owner + repo\n"
    assert read(text + own)[1] == (
        UPLOAD.replace("import create_repo, ", "import ").replace(
            "get_full_repo_name\n", "get_full_repo_name, create_repo\n"
        )
        + own
    )


def test_of_an_opened_repository_the_address_knows_its_name_and_type() -> None:
    text = CLONE.replace('get_full_repo_name("model")', "create_repo('model', repo_type='dataset')")
    text = text.replace("get_full_repo_name", "create_repo")
    mended = read(text)[1]
    known = "name.repo_id, repo_type=name.repo_type"
    assert f"snapshot_download({known}, local_dir=folder)" in mended
    assert f"upload_folder(repo_id={known}, folder_path=folder, " in mended
    assert mended.count("create_repo(") == 1


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("repo.git_pull()", "repo.git_commit()"),
        ("blocking=False", "auto_lfs_prune=True"),
        ("repo.git_pull()", "print(repo)"),
        ("Repository(folder,", "Repository(folder, git_user='me',"),
        ('folder = "model"', 'folder = "model"\nfolder = "other"'),
        ("repo = Repository", "kept = Repository\nrepo = Repository"),
    ],
)
def test_a_use_that_is_not_known_is_left_to_a_person(old: str, new: str) -> None:
    text = CLONE.replace(old, new)
    (fault,), mended = read(text)
    assert (fault.fault, fault.mechanical, mended) == ("removed-import", False, text)


def test_methods_of_a_class_without_state_are_functions() -> None:
    text = "from huggingface_hub import HfFolder\nprint(HfFolder.get_token())\n"
    assert read(text)[1] == "from huggingface_hub import get_token\nprint(get_token())\n"
    other = text.replace("get_token", "path_token")
    assert read(other)[1] == other


def test_targets_are_given_by_name_and_the_block_goes() -> None:
    faults, mended = read(TARGETS)
    assert [fault.fault for fault in faults] == ["attribute-missing"]
    assert mended == TARGETS.replace(
        """    with tokenizer.as_target_tokenizer():
        labels = tokenizer(
            rows["fr"], truncation=True
        )
        print(labels)
""",
        """    labels = tokenizer(
        text_target=rows["fr"], truncation=True
    )
    print(labels)
""",
    )


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("= tokenizer(\n", "= list(\n"),
        ('rows["fr"],', 'rows["fr"], rows["en"],'),
        ("print(labels)", 'print("""\n""")'),
    ],
)
def test_a_block_that_is_not_plain_is_left(old: str, new: str) -> None:
    text = TARGETS.replace(old, new)
    (fault,), mended = read(text)
    assert "`text_target`" in fault.sentence
    assert not fault.mechanical
    assert mended == text


def test_scores_are_plain_numbers() -> None:
    mended = read(ROUGE)[1]
    assert "{name: score * 100 for" in mended
    assert 'scores["rouge1"])' in mended
    left = ROUGE.replace("fmeasure", "recall").replace(', scores["rouge1"].mid', "")
    (fault,), same = read(left)
    assert (fault.mechanical, same) == (False, left)
    assert read(ROUGE.replace('load("rouge")', 'load("other")'))[0] == ()


def test_a_switch_has_become_a_value() -> None:
    text = "from accelerate import Accelerator\nAccelerator(fp16=True, cpu=True)\n"
    assert read(text)[1] == text.replace("fp16=True", 'mixed_precision="fp16"')
    for value in ("False", "bool(1)"):
        other = text.replace("fp16=True", f"fp16={value}")
        (fault,), same = read(other)
        assert (fault.mechanical, same) == (False, other)


def test_a_text_that_is_accepted_no_more_is_told_with_what_took_its_place() -> None:
    start = "from transformers import pipeline, AutoTokenizer\n"
    (fault,), _same = read(f'{start}pipeline("translation_en_to_fr", model="a")\n')
    assert fault.fault == "removed-import"
    assert '`pipeline("translation_en_to_fr")`' in fault.sentence
    assert "`AutoModelForSeq2SeqLM`" in fault.sentence
    assert read(f'{start}pipeline(task="text-generation")\n')[0] == ()
    call = 'AutoTokenizer.from_pretrained("a")("b", return_tensors="tf")\n'
    assert [fault.fault for fault in read(start + call)[0]] == ["removed-import"]
    # Kept by the tokenizer, and never used; and of a library that is not imported.
    assert read(f'{start}AutoTokenizer.from_pretrained("a", return_tensors="tf")\n')[0] == ()
    assert read('print(return_tensors="tf")\n')[0] == ()


def test_what_is_deleted_and_used_again_is_kept() -> None:
    faults, mended = read("model = 1\ndel model\nprint(model)\nprint(model)\n")
    assert [(fault.fault, fault.line) for fault in faults] == [("name-not-defined", 3)]
    assert "`model` is deleted" in faults[0].sentence
    assert mended == "model = 1\nprint(model)\nprint(model)\n"
    beside = "model = other = 1\ndel model, other\nprint(model)\n"
    assert read(beside)[1] == beside


def test_a_name_in_the_singular_stands_for_the_plural_that_is_made() -> None:
    text = "my_rows = [1]\nprint(my_row)\nprint(my_row)\n"
    assert read(text)[1] == "my_rows = [1]\nprint(my_rows)\nprint(my_rows)\n"
    other = "rows = [1]\nprint(row)\nprint(row)\n"
    assert read(other)[1] == other


def test_a_column_that_a_tokenizer_is_given_is_made_a_list(monkeypatch: pytest.MonkeyPatch) -> None:
    text = """from datasets import load_dataset
from transformers import AutoTokenizer

data = load_dataset("glue", "mrpc")
tokenizer = AutoTokenizer.from_pretrained("bert-base-cased")
tokenizer(data["train"]["sentence1"], data["train"]["sentence2"], padding=True)
tokenizer(data["train"][:8]["sentence1"], data["train"][0]["sentence2"])
print(data["train"]["sentence1"])
data.map(lambda rows: tokenizer(rows["sentence1"]), batched=True)
"""
    assert read(text) == ((), text)
    monkeypatch.setattr(installed, "defined", lambda _library, _file: frozenset({"Column"}))
    faults, mended = read(text)
    assert [(fault.fault, fault.line) for fault in faults] == [("lazy-column", 6)] * 2
    assert mended == text.replace('1"], data', '1"][:], data', 1).replace('2"], p', '2"][:], p')

"""What is installed, here or in another environment."""

from pathlib import Path

from course.diagnosis.text import installed


def make(site: Path, version: str) -> None:
    """Put a library into an environment's folder of packages."""
    about = site / f"transformers-{version}.dist-info"
    about.mkdir(parents=True)
    (about / "METADATA").write_text(
        f"Metadata-Version: 2.1\nName: transformers\nVersion: {version}\n"
    )
    (site / "transformers").mkdir()
    (site / "transformers" / "__init__.py").write_text("AdamW = None\n")


def test_what_another_environment_has_is_read_there(tmp_path: Path) -> None:
    make(tmp_path, "4.30.0")
    before = installed.version("transformers")
    with installed.within((str(tmp_path),)):
        assert installed.version("transformers") == "4.30.0"
        assert installed.version("torch") is None
        assert "AdamW" in installed.defined("transformers", "__init__.py")
        assert installed.parameters("torch.optim.AdamW") is None
    assert installed.version("transformers") == before != "4.30.0"
    assert "AdamW" not in installed.defined("transformers", "__init__.py")
    assert installed.parameters("torch.optim.AdamW") is not None


def test_texts_and_methods_are_those_of_the_one_that_holds_them(tmp_path: Path) -> None:
    (tmp_path / "huggingface_hub").mkdir()
    (tmp_path / "huggingface_hub" / "__init__.py").write_text(
        "TASKS = {'a': 1}\nGONE = {'b': 2}\n\n\nclass Type:\n    C = 'c'\n"
    )
    (tmp_path / "huggingface_hub" / "hf_api.py").write_text(
        "class Other:\n    def create_repo(self, other): ...\n\n\n"
        "class HfApi:\n    def create_repo(self, repo_id, *, private=None): ...\n"
    )
    with installed.within((str(tmp_path),)):
        assert installed.texts("huggingface_hub", "__init__.py", "TASKS") == {"a", "1"}
        assert installed.texts("huggingface_hub", "__init__.py", "Type") == {"c"}
        assert installed.texts("huggingface_hub", "other.py", "TASKS") == set()
        assert installed.parameters("huggingface_hub.create_repo") == ("repo_id", "private")

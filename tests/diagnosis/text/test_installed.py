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

"""Transcripts with one defect each, as they would lie in files of these names."""

import tomllib
from pathlib import Path

TABLE = tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))


def text_of(name: str) -> str:
    """Make the text of a sample that is written out or changed."""
    if name in TABLE["texts"]:
        return str(TABLE["texts"][name])
    first, *rest = TABLE["changed"][name]
    text, changes = (text_of(first), rest) if isinstance(first, str) else (CLEAN, [first, *rest])
    for old, new in changes:
        assert old in text, (name, old)
        text = text.replace(old, new)
    return text


CLEAN = text_of("clean.srt")
SAMPLES = {name: text_of(name).encode() for name in (*TABLE["texts"], *TABLE["changed"])}
SAMPLES |= {name: text_of(of).encode(codec) for name, (of, codec) in TABLE["encoded"].items()}
SAMPLES["damaged-utf-8.srt"] = SAMPLES["zh-en.srt"].replace(b"\xe4\xbb\x8a", b"\xe4?\x8a", 1)

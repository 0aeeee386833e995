"""Translators' catalogues, `course.po`, as Babel reads them."""

from pathlib import Path

from babel.messages import pofile
from babel.messages.catalog import Catalog


def read(source: Path) -> Catalog:
    """Read a catalogue; a `.po` file's language is the name of its folder, a template has none."""
    language = source.parent.name if source.suffix == ".po" else None
    with source.open("rb") as stream:
        return pofile.read_po(stream, locale=language, abort_invalid=True)

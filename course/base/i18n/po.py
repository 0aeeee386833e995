"""Translators' catalogues, `course.po`: read and compiled by Babel."""

import io
from pathlib import Path

from babel.messages import mofile, pofile
from babel.messages.catalog import Catalog


def compiled(source: Path) -> io.BytesIO:
    """Compile the catalogue at `source` as `msgfmt` would."""
    out = io.BytesIO()
    mofile.write_mo(out, read(source))
    out.seek(0)
    return out


def read(source: Path) -> Catalog:
    """Read a catalogue; a `.po` file's language is the name of its folder, a template has none."""
    language = source.parent.name if source.suffix == ".po" else None
    with source.open("rb") as stream:
        return pofile.read_po(stream, locale=language, abort_invalid=True)

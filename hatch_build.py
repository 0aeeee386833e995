"""Build hook: compiles the translations into the wheel, so that no user needs Babel."""

import io
from pathlib import Path
from typing import Any

from babel.messages import mofile, pofile
from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class CompileTranslations(BuildHookInterface):  # type: ignore[type-arg]
    """Puts `locales/<language>/course.mo` beside the package's other data."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Compile each language; a catalogue that Babel can't read ends the build."""
        if self.target_name != "wheel" or version == "editable":
            return
        out = Path(self.directory) / "locales"
        for source in sorted(Path(self.root, "locales").glob("*/course.po")):
            catalogue = pofile.read_po(io.BytesIO(source.read_bytes()), locale=source.parent.name)
            target = out / source.parent.name / "course.mo"
            target.parent.mkdir(parents=True, exist_ok=True)
            with target.open("wb") as stream:
                mofile.write_mo(stream, catalogue)
            build_data["force_include"][str(target)] = (
                f"course/data/locales/{source.parent.name}/course.mo"
            )

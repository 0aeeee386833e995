"""Build hook: compiles the translations into the wheel, so that no user waits for it."""

import io
import shutil
import tempfile
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
        self.made = out = Path(tempfile.mkdtemp())
        for source in sorted(Path(self.root, "locales").glob("*/course.po")):
            catalogue = pofile.read_po(io.BytesIO(source.read_bytes()), locale=source.parent.name)
            target = out / source.parent.name / "course.mo"
            target.parent.mkdir(parents=True, exist_ok=True)
            with target.open("wb") as stream:
                mofile.write_mo(stream, catalogue)
            build_data["force_include"][str(target)] = (
                f"course/data/locales/{source.parent.name}/course.mo"
            )

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        """Remove what was made for the wheel; it is in there now."""
        if hasattr(self, "made"):
            shutil.rmtree(self.made)

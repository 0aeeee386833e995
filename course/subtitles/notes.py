"""Our own notes on the videos: `subtitles/<lesson>/<framework>/<language>.srt`."""

from course.base import paths
from course.base.errors import ContentError, UserError
from course.base.i18n import _
from course.subtitles.cue import Transcript
from course.subtitles.transcript import parser


def notes(lesson: str, framework: str) -> dict[str, Transcript]:
    """Read the notes by language (`en`, `ru`, `zh`), the same cues at the same times in each.

    Raises:
        UserError: the lesson has none in this framework.
        ContentError: a language's cues or times differ from another's; says where.

    """
    folder = paths.subtitles() / lesson / framework
    found = {
        path.stem: parser.read(path.read_bytes()).transcript
        for path in sorted(folder.glob("*.srt"))
    }
    if not found:
        template = _(
            "We have no notes on the lesson {lesson} for {framework}. Use your own transcript."
        )
        raise UserError(template.format(lesson=f"`{lesson}`", framework=f"`{framework}`"))
    first, *others = found
    for other in others:
        _compare(f"{folder}: {other} and {first}", found[other], found[first])
    return found


def _compare(where: str, transcript: Transcript, first: Transcript) -> None:
    if len(transcript) != len(first):
        raise ContentError(f"{where}: {len(transcript)} cues, {len(first)} cues")
    for number, cues in enumerate(zip(transcript, first, strict=True), start=1):
        one, other = (f"{cue.start.ordinal}-{cue.end.ordinal} ms" for cue in cues)
        if one != other:
            raise ContentError(f"{where}: cue {number}: {one}, {other}")

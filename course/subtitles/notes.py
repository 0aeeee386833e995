"""Our own notes on the videos: `subtitles/<lesson>/<framework>/<language>.srt`."""

from course.base import paths
from course.base.errors import ContentError, UserError
from course.base.i18n import _
from course.subtitles.cue import Transcript
from course.subtitles.transcript import parser


def notes(lesson: str, framework: str) -> dict[str, Transcript]:
    """Read the notes by language (`en`, `ru`, `zh`), the same cues at the same times in each.

    Empty for a lesson that has none in this framework.

    Raises:
        ContentError: a language's cues or times differ from another's; says where.

    """
    folder = paths.subtitles() / lesson / framework
    found = {
        path.stem: parser.read_text(path.read_text("utf-8")).transcript
        for path in sorted(folder.glob("*.srt"))
    }
    languages = list(found)
    for other in languages[1:]:
        where = f"{folder}: {other} and {languages[0]}"
        _compare(where, found[other], found[languages[0]])
    return found


def wanted(lesson: str, framework: str) -> dict[str, Transcript]:
    """Read the notes by language, where there must be some.

    Raises:
        UserError: there are none.
        ContentError: a language's cues or times differ from another's; says where.

    """
    found = notes(lesson, framework)
    if not found:
        template = _(
            "For the lesson {lesson} we have no notes with {framework}: name a file instead."
        )
        raise UserError(template.format(lesson=f"`{lesson}`", framework=f"`{framework}`"))
    return found


def _compare(where: str, transcript: Transcript, first: Transcript) -> None:
    if len(transcript) != len(first):
        raise ContentError(f"{where}: {len(transcript)} cues, {len(first)} cues")
    for number, cues in enumerate(zip(transcript, first, strict=True), start=1):
        one, other = (f"{cue.start.ordinal}-{cue.end.ordinal} ms" for cue in cues)
        if one != other:
            times = f"{one}, {other}"
            raise ContentError(f"{where}: cue {number}: {times}")

"""`course list`: the lessons and the frameworks they come in."""

from course.cli.options import AsJson
from course.i18n import N_, _

HELP = N_("List the lessons, and the frameworks they come in.")
EXAMPLES = N_("Example: `course list --lang ru`")


def list_lessons(
    as_json: AsJson = False,
) -> None:
    """Print the lessons that ship."""
    from course.cli import screen
    from course.lesson import lesson
    from course.texts import paragraphs

    lessons = [lesson.load(name) for name in lesson.ids()]
    if as_json:
        screen.document(
            {
                "format": 1,
                "lessons": [
                    {
                        "lesson": each.id,
                        "title": _(each.title),
                        "frameworks": {
                            name: {"steps": [s.id for s in part.steps], "video": part.video}
                            for name, part in each.parts.items()
                        },
                    }
                    for each in lessons
                ],
            }
        )
        return
    console = screen.out()
    for each in lessons:
        screen.paragraph(console, f"`{each.id}`  {_(each.title)}", style="bold")
        for text in paragraphs(each.summary):
            screen.paragraph(console, _(text), indent=2)
        for name, part in each.parts.items():
            said = _("{framework}: {n} steps").format(framework=f"`{name}`", n=len(part.steps))
            screen.paragraph(console, said, indent=2, style=screen.QUIET)

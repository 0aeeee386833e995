"""`course class`: exercises for a class, its submissions and marks, one file a command."""

from course.base.i18n import N_
from course.cli.terminal.help import Commands, Entry

app = Commands(
    {
        "make": Entry(
            "course.cli.classroom.make:make",
            N_(
                "Make an exercise for each student of a class, and note in the gradebook who got "
                "which. The roster is a table with the columns `id,name,lang`; each exercise lands"
                " in a folder named after the student's id."
            ),
        ),
        "check": Entry(
            "course.cli.classroom.check:check",
            N_(
                "Check your own exercise as it will be graded, in a sandbox, with the reason "
                "for each point."
            ),
        ),
        "grade": Entry(
            "course.cli.classroom.grade:grade",
            N_(
                "Grade the submissions of a class, each in a sandbox. The folder, or the archive, "
                "holds a folder for each student, or is an export of a whole class from Moodle, "
                "Canvas or nbgrader; scripts and notebooks alike. A submission that is graded "
                "already is not graded again, so the same command goes on where it was stopped."
            ),
        ),
        "report": Entry(
            "course.cli.classroom.report:report",
            N_(
                "Report on a class: a page with the map of the class and a page for each student, "
                "a table of everything, or what Gradescope, Canvas, Moodle and nbgrader read."
            ),
        ),
        "regrade": Entry(
            "course.cli.classroom.grade:regrade",
            N_("Grade once more what is in the gradebook, and say why. Earlier results are kept."),
            examples="AGAIN_EXAMPLES",
        ),
        "override": Entry(
            "course.cli.classroom.override:override",
            N_(
                "Set a score by hand instead of the automatic one, and say why. Reports show it "
                "with its reason; the automatic score is kept."
            ),
        ),
        "comment": Entry(
            "course.cli.classroom.comment:comment",
            N_(
                "Comment on a student's mark, or on all marks that share a reason, and add points "
                "if you like. Reports show the comment; a student's question is answered so, too."
            ),
        ),
    }
)

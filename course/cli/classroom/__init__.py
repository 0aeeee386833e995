"""`course class`: exercises for a class, its submissions and marks, one file a command."""

from course.base.i18n import N_
from course.cli.terminal.help import Commands, Entry

app = Commands(
    {
        "make": Entry(
            "course.cli.classroom.make:make",
            N_(
                "Make an exercise for each student of a class. The gradebook records who got which "
                "exercise. The roster is a table with the columns `id,name,lang`. Each exercise is "
                "in a folder named after the student's id."
            ),
        ),
        "check": Entry(
            "course.cli.classroom.check:check",
            N_(
                "Check your own exercise in the same way as it will be graded, in a sandbox. The "
                "reason for each point is shown."
            ),
        ),
        "grade": Entry(
            "course.cli.classroom.grade:grade",
            N_(
                "Grade the submissions of a class, each in a sandbox. The folder or archive holds "
                "one folder for each student. It can also be an export of a whole class from "
                "Moodle, Canvas or nbgrader. Submissions may be scripts or notebooks. A submission "
                "that is graded already is not graded again, so the same command continues where "
                "it was stopped."
            ),
        ),
        "report": Entry(
            "course.cli.classroom.report:report",
            N_(
                "Report on a class. This can be a page with an overview of the class and a page "
                "for each student, or one table with everything. There are also files for "
                "Gradescope, Canvas, Moodle and nbgrader."
            ),
        ),
        "regrade": Entry(
            "course.cli.classroom.grade:regrade",
            N_(
                "Grade submissions of the gradebook again, and give the reason. Earlier results "
                "are kept."
            ),
            examples="AGAIN_EXAMPLES",
        ),
        "override": Entry(
            "course.cli.classroom.override:override",
            N_(
                "Set a score by hand instead of the automatic one, and give the reason. Reports "
                "show your score and the reason. The automatic score is kept."
            ),
        ),
        "comment": Entry(
            "course.cli.classroom.comment:comment",
            N_(
                "Comment on a student's mark, or on all marks that share a reason, and add points "
                "if you like. Reports show the comment. You can also answer a student's question "
                "in this way."
            ),
        ),
    }
)

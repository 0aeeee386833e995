"""Make the README's pictures anew: ``python docs/pictures.py [terminal notebook class page]``.

Each shows the present program: `course watch` in a pseudo-terminal, a notebook in JupyterLab, the
report on a class (a made-up one, as no class of real students is ours to show), and the playback
page. It wants the development install, a Chromium, and a font with Chinese letters (such as
`fonts-noto-cjk`), and takes two minutes.
"""

import html
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import groupby
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
# What the pictures need is kept apart from whatever the developer has practised.
os.environ["COURSE_STATE"] = tempfile.mkdtemp(prefix="course-pictures-")

from imageio_ffmpeg import get_ffmpeg_exe  # noqa: E402

from course.base import i18n  # noqa: E402
from course.grading.report.page import page as report  # noqa: E402
from course.lesson import lesson  # noqa: E402
from course.lesson.catalogue import catalogue  # noqa: E402
from tests.command import course  # noqa: E402
from tests.grading import report_class as made  # noqa: E402
from tests.live.jupyterlab import NOTE, run_all, served  # noqa: E402
from tests.live.test_terminal import Terminal  # noqa: E402
from tests.subtitles.browser.chromium import browser  # noqa: E402

PART = lesson.load("ch8-4").parts["pt"]
COLOURS = {
    "default": "#dfe3e8",
    "green": "#8fce8a",
    "red": "#ff7b85",
    "brown": "#e8c06a",
    "cyan": "#7fd3d8",
    "blue": "#7fb2ff",
    "magenta": "#d6a0f0",
    "black": "#6b7280",
    "white": "#dfe3e8",
    "brightblack": "#8b93a0",
}
"""The colours of the terminal, by pyte's names; what it does not name has the usual one."""
TERMINAL = """<!doctype html><meta charset="utf-8"><style>
body { margin: 0; background: #20242c; color: #dfe3e8; }
pre { margin: 0; padding: 14px 16px; display: inline-block; line-height: 1.3;
      font: 14px/1.3 "DejaVu Sans Mono", Menlo, Consolas, "Noto Sans Mono CJK SC", monospace; }
</style><pre>%s</pre>"""
PALETTE = "split[a][b];[a]palettegen=max_colors=64:stats_mode=full[p];[b][p]paletteuse=dither=none"
HIDE = """(folder) => {
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const node = walker.currentNode;
    if (node.data.includes(folder)) node.data = node.data.replaceAll(folder, ".venv");
  }
}"""
STUDENTS = {
    "healthy": ("王芳", "郭瑞", "高翔", "罗丹", "郑凯", "梁爽"),
    "learned nothing": ("李伟", "胡斌", "林峰", "谢军"),
    "3": ("赵婷", "何雪", "宋佳"),
    "2": ("张敏", "徐鹏"),
    "1": ("黄磊", "朱琳"),
    "0": ("刘洋", "陈静", "马超"),
    "waits": ("吴倩", "孙悦"),
    "refused": ("周杰",),
    "handed in nothing": ("杨磊",),
}
"""A made-up class: how far each has come, a figure being the bugs that are mended."""


@contextmanager
def page_of(width: int, height: int, scale: float = 1) -> Iterator[Any]:
    """Open a page of a browser, in Chinese, as wide and as high as a picture."""
    with browser() as chromium:
        size = {"width": width, "height": height}
        context = chromium.new_context(viewport=size, device_scale_factor=scale, locale="zh-CN")
        yield context.new_page()
        context.close()


def make_terminal(folder: Path) -> None:
    """`course watch` once the first bug is mended: the next fault, and what is behind."""
    copy = folder / "exercise"
    _done("start", "ch8-4", str(copy), "--lang", "en")
    _done("fix", str(copy), "--apply", "--yes")
    with Terminal("watch", str(copy), "--lang", "en") as terminal:
        terminal.until("Which fault is it?")
        for _time in range(20):
            terminal.listen()
        shown = "\n".join(_row(terminal, y) for y in range(terminal.screen.lines))
        terminal.press("q")
    with page_of(760, 600, scale=2) as page:
        page.set_content(TERMINAL % shown)
        page.locator("pre").screenshot(path=HERE / "terminal.png")


def _row(terminal: Terminal, y: int) -> str:
    """Format a row of the screen in HTML: stretches of one look in a `span` each."""
    row = terminal.screen.buffer[y]
    cells = [row[x] for x in range(terminal.screen.columns)]
    line = []
    for (colour, bold), same in groupby(cells, lambda cell: (cell.fg, cell.bold)):
        weight = ";font-weight:700" if bold else ""
        text = html.escape("".join(cell.data for cell in same))
        named = COLOURS.get(colour, COLOURS["default"])
        line.append(f'<span style="color:{named}{weight}">{text}</span>')
    return "".join(line)


def make_notebook(folder: Path) -> None:
    """JupyterLab below the traceback of the first fault: question, looks, and the fold opened."""
    name = "ch8-4-pt.ipynb"
    (folder / "lab").mkdir()
    _done("notebook", "ch8-4", "--lang", "zh", "-o", str(folder / "lab" / name))
    title = i18n.translator("zh")(catalogue()[PART.bugs[0].fault].title)
    with served(folder / "lab", folder) as address, page_of(1280, 1000) as blank:
        page = run_all(blank.context, address, name, title)
        note = page.locator(f"{NOTE}:has-text('{title}')")
        note.locator("summary").click()
        # Where this machine keeps its libraries is nobody's business.
        page.evaluate(HIDE, sys.prefix)
        note.evaluate("(note) => note.scrollIntoView({block: 'end'})")
        page.mouse.move(0, 0)
        page.wait_for_timeout(500)
        page.screenshot(path=HERE / "notebook.png")


def make_class(folder: Path) -> None:
    """Take a picture of the report on a made-up class, from the top."""
    i18n.activate("zh")
    found = []
    for depth, names in STUDENTS.items():
        for name in names:
            who = made.student(len(found), name, "zh")
            found.append(_standing(who, depth, tries=len(found) % 3))
    text = report.page(made.register(found))
    i18n.activate(i18n.SOURCE)
    (folder / "class.html").write_text(text, "utf-8")
    with page_of(1100, 860) as page:
        page.goto((folder / "class.html").as_uri())
        page.screenshot(path=HERE / "class.png")


def _standing(who: made.Student, depth: str, tries: int) -> made.StudentResult:
    """Make up a student who has come so far, at the first try or at a later one."""
    if depth == "handed in nothing":
        return made.standing(who, came=False)
    if depth == "waits":
        return made.standing(who, None)
    if depth == "refused":
        return made.standing(who, made.Grade(who.id, PART.lesson, PART.framework, "refused"))
    mended = int(depth) if depth.isdecimal() else len(made.BUGS)
    accuracy = {"healthy": 0.81, "learned nothing": 0.34}.get(depth)
    last = made.grade(who, made.BUGS[:mended], accuracy=accuracy)
    before = made.grade(who, made.BUGS[: max(0, mended - 1)])
    history = tuple(made.attempt(before, hours, kept=True) for hours in range(1, tries + 1))
    return made.standing(who, attempt=made.attempt(last, 30), history=history)


def make_page(folder: Path) -> None:
    """Take a picture of the playback page, two minutes in, with captions in two languages."""
    path = folder / "page.html"
    _done("subtitles", "page", "ch8-4", "--lang", "zh", "-o", str(path))
    with page_of(1366, 860) as page:
        page.goto(path.as_uri())
        page.locator('.languages input[value="en"]').check()
        page.locator("h1").click()
        for key in ("l",) * 12 + ("ArrowRight",):
            page.keyboard.press(key)
        page.mouse.move(0, 0)
        page.wait_for_timeout(1000)
        page.screenshot(path=HERE / "page.png")


def shrink(picture: Path) -> None:
    """Keep the colours that matter, without which a picture is half as large."""
    small = picture.with_name(f"small-{picture.name}")
    command = (get_ffmpeg_exe(), "-loglevel", "error", "-y", "-i", picture, "-vf", PALETTE, small)
    subprocess.run(command, check=True)
    small.replace(picture)


def _done(*words: str) -> None:
    """Run a command of ours that has to go well."""
    done = course(*words)
    if done.returncode != 0:
        raise SystemExit(done.stderr)


PICTURES: dict[str, Callable[[Path], None]] = {
    "terminal": make_terminal,
    "notebook": make_notebook,
    "class": make_class,
    "page": make_page,
}


def main() -> None:
    """Make the pictures that are named, or all of them."""
    for name in sys.argv[1:] or PICTURES:
        with tempfile.TemporaryDirectory(prefix="course-picture-") as folder:
            PICTURES[name](Path(folder))
        picture = HERE / f"{name}.png"
        shrink(picture)
        print(picture, picture.stat().st_size)


if __name__ == "__main__":
    main()

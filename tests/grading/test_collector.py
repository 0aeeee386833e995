"""Collecting: folders, zips, the platforms' layouts, and everything that tries to get out."""

import ast
import os
import stat
import struct
import tempfile
import zipfile
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from course.base import encoding
from course.base.errors import UserError
from course.exercise.header import Header
from course.exercise.working_copy import CAP
from course.grading.collect import archive, collector, mapping
from course.grading.collect.collector import VERSIONS, Collected, counting
from course.grading.collect.found_file import LARGE
from course.grading.collect.unmatched import SENTENCES, Unmatched, describe
from course.grading.distribute import instructions
from course.grading.distribute.assignment import Assignment, Student
from tests.grading import notebooks
from tests.grading.files import put, zipped

FILE = "ch8-4-pt.py"
STUDENTS = [
    Student("ann", "Ann Lee", "en", ("moodle:657737", "canvas:340934")),
    Student("bob", "Bob O'Brien", "en"),
    Student("王小明", "王小明", "zh"),
    Student("ivan", "Иванов Иван", "ru"),
    Student("twin1", "Sam Twin", "en"),
    Student("twin2", "sam  TWIN", "en", ("moodle:12",)),
    Student("4711", "4711", "en"),
]


def given(student: str, lesson: str = "ch8-4", framework: str = "pt") -> Assignment:
    return Assignment(student, lesson, framework, ("nan-loss",), "en", 1, "0" * 64)


GIVEN = [given(s.id) for s in STUDENTS]


def gather(place: Path, deadline: datetime | None = None) -> Collected:
    return collector.after_all(collector.collect(place, STUDENTS, GIVEN), deadline, ())


def found(collected: Collected) -> dict[str, bytes | None]:
    return {s.student: s.content for s in collected.submissions}


def refused(collected: Collected) -> dict[str, str | None]:
    return {s.student: s.refused for s in collected.submissions}


def reasons(collected: Collected) -> dict[str, str]:
    """Every stray's sentence must be one, too."""
    for stray in collected.unmatched:
        sentence = describe(stray)
        assert "{" not in sentence
        assert sentence.isprintable()
        sentence.encode()
    return {s.source: s.reason for s in collected.unmatched}


def test_a_folder_for_each_student(tmp_path: Path) -> None:
    put(tmp_path / "ann" / FILE, b"\xef\xbb\xbf# \xd0\xb9\r\n")
    put(tmp_path / "王小明" / "later" / "CH8-4-PT.py", "2")
    put(tmp_path / "ann" / ".DS_Store")
    put(tmp_path / "__MACOSX" / "ann" / FILE)
    put(tmp_path / "Thumbs.db")
    put(tmp_path / instructions.page_name("zh"))
    (tmp_path / "bob").mkdir()
    collected = gather(tmp_path)
    assert found(collected) == {"ann": b"\xef\xbb\xbf# \xd0\xb9\r\n", "王小明": b"2"}
    assert collected.unmatched == ()
    assert [a.student for a in collected.missing] == ["bob", "ivan", "twin1", "twin2", "4711"]
    ann = next(s for s in collected.submissions if s.student == "ann")
    assert (ann.lesson, ann.framework, ann.source) == ("ch8-4", "pt", f"ann/{FILE}")
    assert abs(ann.submitted - datetime.now(UTC)) < timedelta(minutes=1)


def test_an_empty_folder_has_nothing_and_everybody_is_missing(tmp_path: Path) -> None:
    collected = gather(tmp_path)
    assert (collected.submissions, collected.unmatched) == ((), ())
    assert list(collected.missing) == GIVEN


def test_folders_fit_whatever_a_file_system_made_of_their_names(tmp_path: Path) -> None:
    students = [Student("José", "José", "en")]
    put(tmp_path / "JOSE\u0301" / FILE)
    collected = collector.collect(tmp_path, students, [given("José")])
    assert list(found(collected)) == ["José"]


@pytest.mark.parametrize(
    ("path", "reason"),
    [
        (FILE, "no-student"),
        (f"zed/{FILE}", "unknown-student"),
        (f"../x/{FILE}".replace("../", "up "), "unknown-student"),
        ("ann/ch8-4-tf.py", "not-given"),
        ("ann/solution.py", "unknown-file"),
        ("ann/ch8-4-pt.py.1.bak", "unknown-file"),
        ("ann/ch8-4.ipynb", "unknown-file"),
        ("ann/ch8-4-pt.docx", "document"),
        ("ann/ch8-4-pt.rar", "other-archive"),
        ("ann/ch8-4-tf.ipynb", "not-given"),
        (f"ann/{'x/' * 9}{FILE}", "too-deep"),
        ("Ann Lee_1234567_assignsubmission_onlinetext_/onlinetext.html", "unknown-student"),
    ],
)
def test_what_belongs_to_nobody_is_told(tmp_path: Path, path: str, reason: str) -> None:
    put(tmp_path / path)
    students = [*STUDENTS, Student("eve", "Eve", "en")]
    collected = collector.collect(tmp_path, students, [*GIVEN, given("eve", framework="tf")])
    assert collected.submissions == ()
    assert list(reasons(collected).values()) == [reason]


def test_every_reason_has_been_tried() -> None:
    """Reasons are strings: one without a test could be one that nothing gives."""
    source = Path(__file__).read_text()
    assert [reason for reason in SENTENCES if f'"{reason}"' not in source] == []


@pytest.mark.parametrize(
    "name",
    ["ch8-4-pt (1).py", "ch8-4-pt(12).py", "ch8-4-pt-1.py", "ch8-4-pt_2.py", "ch8-4-pt copy.py",
     "ch8-4-pt - Copy.py", "ch8-4-pt - 副本.py", "ch8-4-pt — копия.py", "ch8-4-pt.PY",
     "ch8-4-pt-Copy1.py", "Copy of ch8-4-pt.py", "Copy_of_ch8-4-pt.py", "ch8_4_pt.py",
     "ch8-4_pt.py", "ch8-4-pt.py.txt", "CH8-4 pt.PY.TXT"],
)  # fmt: skip
def test_a_copy_is_a_version_of_the_same(tmp_path: Path, name: str) -> None:
    put(tmp_path / "ann" / name)
    assert list(found(gather(tmp_path))) == ["ann"]


def test_the_teacher_says_whose_a_file_is(tmp_path: Path) -> None:
    put(tmp_path / "in" / "ann" / "my work.py", "ann's")
    put(tmp_path / "in" / "final.py", "ivan's")
    table = tmp_path / "whose.csv"
    table.write_text("\ufeffsource;id\nann/my work.py;ann\nfinal.py;ivan\n", "utf-8")
    whose = mapping.read(table, GIVEN)
    collected = collector.collect(tmp_path / "in", STUDENTS, GIVEN, whose)
    assert found(collected) == {"ann": b"ann's", "ivan": b"ivan's"}
    assert collected.unmatched == ()


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("file,who\na,b\n", "The first line"),
        ("\n", "The first line"),
        ("source,id\nfinal.py,nobody\n", "Line 2"),
        ("source,id\n,ann\n", "Line 2"),
        ("source,id\nelsewhere.py,ann\n", "There is no file"),
    ],
)
def test_a_table_that_says_what_is_not_so_is_told(tmp_path: Path, text: str, words: str) -> None:
    put(tmp_path / "in" / "final.py")
    table = tmp_path / "whose.csv"
    table.write_text(text, "utf-8")
    with pytest.raises(UserError, match=words):
        collector.collect(tmp_path / "in", STUDENTS, GIVEN, mapping.read(table, GIVEN))


@pytest.mark.parametrize("name", ["ch8-4-pt1.py", "xch8-4-pt.py", "ch8-4-ptx.py", "ch8-40-pt.py"])
def test_a_name_that_is_only_alike_is_none(tmp_path: Path, name: str) -> None:
    put(tmp_path / "ann" / name)
    assert set(reasons(gather(tmp_path)).values()) == {"unknown-file"}


# The newest before the deadline.


def test_the_newest_before_the_deadline_counts_and_the_rest_is_kept(tmp_path: Path) -> None:
    for age, text in ((5, "old"), (3, "newest in time"), (1, "late")):
        put(tmp_path / "ann" / str(age) / FILE, text, age)
    for age in (1, 0.5):
        put(tmp_path / "bob" / str(age) / FILE, f"late {age}", age)
    collected = gather(tmp_path, datetime.now(UTC) - timedelta(hours=2))
    assert [s.content for s in collected.submissions if s.student == "ann"] == [
        b"old", b"newest in time", b"late",
    ]  # fmt: skip
    counted = {key[0]: s for key, s in counting(collected.submissions).items()}
    assert (counted["ann"].content, counted["ann"].late) == (b"newest in time", False)
    assert (counted["bob"].content, counted["bob"].late) == (b"late 0.5", True)


def test_of_the_same_time_the_higher_copy_counts(tmp_path: Path) -> None:
    for name in ("ch8-4-pt (10).py", "ch8-4-pt (2).py", FILE):
        put(tmp_path / "ann" / name, name)
        os.utime(tmp_path / "ann" / name, (1e9, 1e9))
    (counted,) = counting(gather(tmp_path).submissions).values()
    assert counted.content == b"ch8-4-pt (10).py"


def test_a_broken_upload_does_not_undo_a_good_one(tmp_path: Path) -> None:
    put(tmp_path / "ann" / FILE, "good", 3)
    put(tmp_path / "ann" / "ch8-4-pt.zip", b"PK broken", 1)
    put(tmp_path / "bob" / FILE, b"\xff")
    collected = gather(tmp_path)
    counted = {key[0]: s for key, s in counting(collected.submissions).items()}
    assert counted["ann"].content == b"good"
    assert counted["bob"].refused == "not-text"
    assert [s.refused for s in collected.submissions if s.student == "ann"] == [None, "damaged"]


def test_a_flood_of_versions_keeps_the_newest(tmp_path: Path) -> None:
    for number in range(VERSIONS + 5):
        put(tmp_path / "ann" / f"ch8-4-pt ({number}).py", f"{number}", 100 - number)
    put(tmp_path / "bob" / FILE)
    collected = gather(tmp_path)
    kept = [s.content for s in collected.submissions if s.student == "ann"]
    assert kept == [f"{n}".encode() for n in range(5, VERSIONS + 5)]
    assert set(reasons(collected).values()) == {"too-many-versions"}
    assert "bob" in found(collected)


def test_a_flood_of_files_is_cut_off_and_the_others_are_not(tmp_path: Path) -> None:
    (tmp_path / "ann").mkdir()
    for number in range(collector.STUDENT + 10):
        (tmp_path / "ann" / f"{number}.txt").touch()
    put(tmp_path / "bob" / FILE)
    collected = gather(tmp_path)
    assert "too-many-files" in reasons(collected).values()
    assert len(collected.unmatched) == collector.STUDENT + 1
    assert list(found(collected)) == ["bob"]


# Nothing is followed out of the folder, nothing is waited for.


def test_links_are_never_followed(tmp_path: Path) -> None:
    secret = put(tmp_path / "outside" / FILE, "the answers")
    place = tmp_path / "in"
    (place / "ann").mkdir(parents=True)
    (place / "ann" / FILE).symlink_to(secret)
    (place / "bob").symlink_to(secret.parent)
    (place / "ivan").mkdir()
    (place / "ivan" / "folder").symlink_to(secret.parent)
    (place / "twin1").mkdir()
    (place / "twin1" / FILE).symlink_to("nowhere")
    (place / "twin2").mkdir()
    (place / "twin2" / "x.zip").symlink_to(put(tmp_path / "x.zip", zipped({FILE: b"x"})))
    collected = gather(place)
    assert refused(collected) == dict.fromkeys(("ann", "bob", "twin1", "twin2"), "not-regular")
    assert set(found(collected).values()) == {None}
    assert reasons(collected) == {"ivan/folder": "unknown-file"}


@pytest.mark.skipif(os.name == "nt", reason="no pipes and devices among its files")
def test_pipes_and_devices_and_folders_are_refused_at_once(tmp_path: Path) -> None:
    (tmp_path / "ann").mkdir()
    os.mkfifo(tmp_path / "ann" / FILE)
    os.mkfifo(tmp_path / "bob")
    (tmp_path / "ivan" / FILE).mkdir(parents=True)
    os.mkfifo(tmp_path / "class.zip")
    collected = gather(tmp_path)
    assert refused(collected) == {"ann": "not-regular", "bob": "not-regular"}
    assert reasons(collected) == {"class.zip": "not-regular"}


@pytest.mark.skipif(getattr(os, "geteuid", lambda: 1)() != 0, reason="needs another user")
def test_what_is_closed_to_us_is_refused() -> None:
    """Root may read everything, so a child of another user's tries."""
    with tempfile.TemporaryDirectory() as name:
        place = Path(name)
        place.chmod(0o755)
        put(place / "ann" / FILE).chmod(0)
        (place / "bob").mkdir(mode=0)
        child = os.fork()
        if child == 0:
            os.setuid(65534)
            told = refused(gather(place))
            os._exit(0 if told == {"ann": "unreadable", "bob": "unreadable"} else 1)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"#" * CAP, None),
        (b"#" * (CAP + 1), "too-large"),
        (b"\x7fELF\x00", "not-text"),
        (b"x = 1\x00", "not-text"),
        ("# курс".encode("cp1251"), None),
        ("x".encode("utf-16"), None),
        (b"", None),
    ],
)
def test_a_submission_is_a_text_of_a_sensible_size(
    tmp_path: Path, data: bytes, reason: str | None
) -> None:
    put(tmp_path / "ann" / FILE, data)
    put(tmp_path / "bob" / "x.zip", zipped({FILE: data}))
    (tmp_path / "class").mkdir()
    put(tmp_path / "class" / "c.zip", zipped({f"ann/{FILE}": data}))
    assert refused(gather(tmp_path)) == {"ann": reason, "bob": reason}
    assert refused(gather(tmp_path / "class" / "c.zip")) == {"ann": reason}


def test_a_sparse_giant_is_not_read(tmp_path: Path) -> None:
    giant = put(tmp_path / "ann" / FILE)
    os.truncate(giant, 1 << 40)
    assert refused(gather(tmp_path)) == {"ann": "too-large"}


def test_names_of_any_bytes_are_told_in_text(tmp_path: Path) -> None:
    name = os.fsencode(tmp_path) + b"/ann/\xff\x1b[31m\n.py"
    (tmp_path / "ann").mkdir()
    with open(name, "w"):
        pass
    assert list(reasons(gather(tmp_path)).values()) == ["unknown-file"]


# Zips.


def test_a_zip_of_the_whole_and_a_zip_in_a_folder(tmp_path: Path) -> None:
    inner = zipped({"deep/er/ch8-4-pt.py": b"bob", "notes.txt": b"", "__MACOSX/._x": b""})
    whole = {f"ann/{FILE}": b"ann", "bob/work.zip": inner, f"zed/{FILE}": b"", "ivan/": b""}
    for lead in ("", "submissions/", "a/b/"):
        place = put(tmp_path / "class.zip", zipped({lead + n: d for n, d in whole.items()}))
        collected = gather(place)
        assert found(collected) == {"ann": b"ann", "bob": b"bob"}
        assert set(reasons(collected).values()) == {"unknown-file", "unknown-student"}
    in_folder = gather(tmp_path)
    assert found(in_folder) == {"ann": b"ann", "bob": b"bob"}


def test_times_in_a_zip_are_local(tmp_path: Path) -> None:
    local = datetime(2026, 3, 1, 12, 0, 2)
    info = zipfile.ZipInfo(f"ann/{FILE}", local.timetuple()[:6])
    odd = zipfile.ZipInfo(f"bob/{FILE}", (1980, 0, 0, 0, 0, 0))
    place = put(tmp_path / "class.zip", zipped({info: b"", odd: b""}))
    times = {s.student: s.submitted for s in gather(place).submissions}
    assert times == {"ann": local.astimezone(UTC), "bob": None}


def test_a_students_zip_is_as_old_as_it_is_not_as_it_says(tmp_path: Path) -> None:
    info = zipfile.ZipInfo(FILE, (2001, 1, 1, 0, 0, 0))
    put(tmp_path / "ann" / "ch8-4-pt.zip", zipped({info: b""}), 1)
    (only,) = gather(tmp_path, datetime.now(UTC) - timedelta(hours=2)).submissions
    assert only.late


def link(name: str) -> zipfile.ZipInfo:
    info = zipfile.ZipInfo(name)
    info.external_attr = (stat.S_IFLNK | 0o777) << 16
    return info


def tampered(data: bytes, before: bytes, after: bytes) -> bytes:
    """Change the first of these: in a zip, that is the file, not the list."""
    assert before in data
    return data.replace(before, after, 1)


def locked(data: bytes) -> bytes:
    """Put the mark of encryption into both headers of a zip."""
    changed = bytearray(data)
    for mark, offset in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        changed[changed.index(mark) + offset] |= 1
    return bytes(changed)


HOSTILE = {
    "outside": zipped({"../bob/ch8-4-pt.py": b"x"}),
    "outside, absolute": zipped({"/ch8-4-pt.py": b"x"}),
    "outside, drive": zipped({"C:/ch8-4-pt.py": b"x"}),
    "outside, backslashes": zipped({"..\\..\\ch8-4-pt.py": b"x"}),
    "outside, beside a good one": zipped({FILE: b"good", "../x": b"x"}),
    "not-regular": zipped({link(FILE): b"/etc/passwd"}),
    "encrypted": locked(zipped({FILE: b"x"})),
    "damaged": b"PK\x03\x04 and nothing",
    "damaged, empty": b"",
    "damaged, cut": zipped({FILE: b"x" * 1000})[:-40],
    "damaged, sum": tampered(zipped({FILE: b"honest"}, 0), b"honest", b"forged"),
    "damaged, two names": tampered(zipped({FILE: b"x"}), b"ch8-4-pt.py", b"ch8-4-xx.py"),
    "damaged, bzip2": zipped({FILE: b"x" * 100}, zipfile.ZIP_BZIP2),
    "damaged, lzma": zipped({FILE: b"x" * 100}, zipfile.ZIP_LZMA),
    "too-large": zipped({FILE: b"\0" * 5_000_000}),
    "too-many": zipped({f"{n}.txt": b"" for n in range(101)} | {FILE: b"x"}),
    "archive-large": zipped({"x": bytes(LARGE + 1), FILE: b"x"}, 0),
}  # fmt: skip


@pytest.mark.parametrize("kind", HOSTILE)
@pytest.mark.parametrize("nested", [False, True])
def test_a_hostile_zip_is_refused_and_the_rest_goes_on(
    tmp_path: Path, kind: str, nested: bool
) -> None:
    entries = {"ann/work.zip": HOSTILE[kind], f"bob/{FILE}": b"fine"}
    if nested:
        place = put(tmp_path / "class.zip", zipped(entries))
    else:
        place = tmp_path / "in"
        for name, data in entries.items():
            put(place / name, data)
    before = sorted(tmp_path.rglob("*"))
    collected = gather(place)
    assert refused(collected) == {"ann": kind.split(",")[0], "bob": None}
    assert found(collected)["bob"] == b"fine"
    reasons(collected)
    assert sorted(tmp_path.rglob("*")) == before


def test_a_header_that_lies_about_the_size_is_not_believed(tmp_path: Path) -> None:
    size = 5_000_000
    data = zipped({FILE: b"\0" * size})
    lying = data.replace(struct.pack("<I", size), struct.pack("<I", 10))
    put(tmp_path / "ann" / "x.zip", lying)
    (only,) = gather(tmp_path).submissions
    assert only.refused in ("damaged", "too-large")


def test_the_platforms_archive_may_hold_hostile_entries_among_good_ones(tmp_path: Path) -> None:
    entries = {
        f"ann/../bob/{FILE}": b"x",
        link(f"bob/{FILE}"): b"/etc/passwd",
        f"ivan/{FILE}": b"fine",
    }
    collected = gather(put(tmp_path / "class.zip", zipped(entries)))
    assert refused(collected) == {"bob": "not-regular", "ivan": None}
    assert list(reasons(collected).values()) == ["outside"]


def test_an_archive_in_a_students_archive_stays_closed(tmp_path: Path) -> None:
    put(tmp_path / "ann" / "x.zip", zipped({"y.zip": zipped({FILE: b"x"})}))
    put(tmp_path / "bob" / "x.zip", zipped({"y.zip": b"", FILE: b"x"}))
    collected = gather(tmp_path)
    assert list(found(collected)) == ["bob"]
    assert reasons(collected) == {
        "ann/x.zip/y.zip": "nested-archive",
        "bob/x.zip/y.zip": "nested-archive",
    }


def test_of_an_archive_without_the_exercise_is_told_what_is_in_it_or_that_nothing_is(
    tmp_path: Path,
) -> None:
    put(tmp_path / "ann" / "x.zip", zipped({"mine.py": b"x"}))
    put(tmp_path / "bob" / "x.zip", zipped({}))
    found = gather(tmp_path)
    assert reasons(found) == {"ann/x.zip/mine.py": "unknown-file", "bob/x.zip": "empty-archive"}


def test_several_names_of_exercises_are_told_one_by_one() -> None:
    told = Unmatched("ann/x.py", "unknown-file", "ann", {"wanted": "ch8-4-pt.py ch3-2-pt.py"})
    assert "`ch8-4-pt.py`, `ch3-2-pt.py`" in describe(told)


def test_a_broken_archive_of_one_with_two_exercises_is_a_stray(tmp_path: Path) -> None:
    put(tmp_path / "ann" / "work.zip", b"no zip")
    put(tmp_path / "ann" / "ch8-4-tf.zip", b"no zip")
    both = [given("ann"), given("ann", framework="tf")]
    collected = collector.collect(tmp_path, STUDENTS, both)
    assert reasons(collected) == {"ann/work.zip": "damaged"}
    assert [(s.framework, s.refused) for s in collected.submissions] == [("tf", "damaged")]


def raw_name(data: bytes, placeholder: bytes, name: bytes) -> bytes:
    """Make a zip as old programs do: the name in their own encoding, and no word about it."""
    assert len(placeholder) == len(name)
    return data.replace(placeholder, name)


@pytest.mark.parametrize(
    ("student", "encoding"), [("王小明", "gbk"), ("王小明", "utf-8"), ("Жанна", "cp866")]
)
def test_names_in_old_zips_are_understood(tmp_path: Path, student: str, encoding: str) -> None:
    name = student.encode(encoding)
    data = raw_name(zipped({f"{'x' * len(name)}/{FILE}": b"1"}), b"x" * len(name), name)
    students = [*STUDENTS, Student("Жанна", "Жанна", "ru")]
    place = put(tmp_path / "c.zip", data)
    collected = collector.collect(place, students, [given(s.id) for s in students])
    assert list(found(collected)) == [student]


def test_a_place_that_holds_no_submissions_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(archive, "CLASS", 200)
    for name, data, says in (
        ("none", None, "is not a folder or a zip"),
        ("a.py", b"", "is not a folder or a zip"),
        ("a.zip", b"PK", r"a.zip`: .* is damaged"),
        ("b.zip", zipped({f"{n}": b"" for n in range(201)}), "more than 200 files"),
    ):
        if data is not None:
            put(tmp_path / name, data)
        with pytest.raises(UserError, match=says):
            gather(tmp_path / name)
    (tmp_path / "in").mkdir()
    (tmp_path / "a.zip").rename(tmp_path / "in" / "a.zip")
    assert reasons(gather(tmp_path / "in")) == {"a.zip": "damaged"}


# Moodle and Canvas.

MOODLE = {
    "Ann Lee_657737_assignsubmission_file_/": b"ann",
    "OBrien Bob_99_assignsubmission_file/": b"bob",
    "王小明_100_assignsubmission_file_": b"wang",
    "Participant_12_assignsubmission_file_/sub/": b"twin2",
    "Иван Иванов_102_assignsubmission_file_/": b"ivan",
    "Participant_4711_assignsubmission_file_/": b"4711",
}


@pytest.mark.parametrize("unpacked", [False, True])
def test_moodles_archive(tmp_path: Path, unpacked: bool) -> None:
    entries = {f"{lead}{FILE}": data for lead, data in MOODLE.items()}
    if unpacked:
        place = tmp_path / "in"
        for name, data in entries.items():
            put(place / name, data)
    else:
        place = put(tmp_path / "moodle.zip", zipped(entries))
    # When it was made tells nothing about when anything was handed in.
    collected = gather(place, datetime(2020, 1, 1, tzinfo=UTC))
    assert found(collected) == {
        "ann": b"ann", "bob": b"bob", "王小明": b"wang", "twin2": b"twin2", "ivan": b"ivan",
        "4711": b"4711",
    }  # fmt: skip
    assert collected.unmatched == ()
    assert {(s.submitted, s.late) for s in collected.submissions} == {(None, False)}
    assert [a.student for a in collected.missing] == ["twin1"]


@pytest.mark.parametrize(
    ("lead", "reason"),
    [
        ("Sam Twin_13_assignsubmission_file_/", "several-students"),
        ("Zed_14_assignsubmission_file_/", "unknown-student"),
        ("Bob OBrien_657737_assignsubmission_file_/", "two-students"),
        ("Ann Lee_4711_assignsubmission_file_/", "two-students"),
        ("Zed_1234_assignsubmission_file_/", "other-name"),
        ("sam twin_21_77_5_", "odd-name"),
        ("samtwin_21_77_", "several-students"),
        ("zed_21_77_", "unknown-student"),
    ],
)
def test_who_cannot_be_told_for_sure_is_left_to_the_teacher(
    tmp_path: Path, lead: str, reason: str
) -> None:
    students = [*STUDENTS, Student("1234", "Somebody Else", "en")]
    place = put(tmp_path / "class.zip", zipped({f"{lead}{FILE}": b""}))
    collected = collector.collect(place, students, GIVEN)
    assert collected.submissions == ()
    assert list(reasons(collected).values()) == [reason]


def test_an_id_that_happens_to_be_moodles_number_is_nobody_else(tmp_path: Path) -> None:
    """Moodle counts participants; a school may count students: the name decides."""
    students = [Student("7", "Ann Lee", "en"), Student("8", "Bob Roe", "en")]
    entries = {f"Ann Lee_8_assignsubmission_file_/{FILE}": b"ann"}
    place = put(tmp_path / "class.zip", zipped(entries))
    collected = collector.collect(place, students, [given("7"), given("8")])
    assert found(collected) == {"7": b"ann"}


def test_canvas_archive(tmp_path: Path) -> None:
    entries = {
        "leeann_340934_1000_ch8-4-pt.py": b"first",
        "leeann_LATE_340934_1010_ch8-4-pt-1.py": b"late",
        "leeann_340934_1005_ch8-4-pt-2.py": b"second",
        "obrienbob_LATE_17_1001_ch8-4-pt.py": b"bob",
        "王小明_18_1002_work.zip": zipped({f"x/{FILE}": b"wang"}),
        "иванов_иван_19_1003_ch8-4-pt.py": b"ivan",
        "4711_4711_1004_ch8-4-pt.py": b"4711",
        "twinsam_20_1004_ch8-4-pt.py": b"",
        "anon_Xy12z_1005_ch8-4-pt.py": b"",
    }
    place = put(tmp_path / "submissions.zip", zipped(entries))
    collected = gather(place, datetime(2020, 1, 1, tzinfo=UTC))
    anns = [(s.content, s.late) for s in collected.submissions if s.student == "ann"]
    assert anns == [(b"first", False), (b"second", False), (b"late", True)]
    counted = {key[0]: s for key, s in counting(collected.submissions).items()}
    assert counted["ann"].content == b"second"
    assert counted["bob"].late
    assert {k: s.content for k, s in counted.items() if k in ("王小明", "ivan", "4711")} == {
        "王小明": b"wang", "ivan": b"ivan", "4711": b"4711",
    }  # fmt: skip
    assert sorted(reasons(collected).values()) == ["no-student", "several-students"]


@pytest.mark.parametrize("codec", ["utf-16", "utf-16-le", "cp1251", "gb18030", "utf-8-sig"])
def test_a_script_is_read_however_it_was_saved(codec: str) -> None:
    comment = "# 先检查环境。" if codec == "gb18030" else "# Сначала проверим окружение"
    text = f"import os\n{comment}\nprint(os.name)\n" * 3
    found, told = encoding.read_script(text.encode(codec))
    assert found.removeprefix("\ufeff") == text
    assert bool(told) == (codec != "utf-8-sig")


def test_a_comment_that_names_the_encoding_is_believed() -> None:
    text = "# -*- coding: cp1251 -*-\nprint('привет')\n"
    assert encoding.read_script(text.encode("cp1251")) == (text.replace("cp1251", "utf-8"), "")


@pytest.mark.parametrize("cookie", ["utf-7", "rot13", "unicode_escape", "utf-16", "nonsense"])
@pytest.mark.parametrize("line", ["", "#!/usr/bin/python\r"])
@pytest.mark.parametrize("saved", ["utf-8", "cp1251", "utf-16"])
def test_no_encoding_hides_the_text_from_us(cookie: str, line: str, saved: str) -> None:
    """It is run as UTF-8 bytes again: Python then reads what we have read."""
    text = f"{line}# coding: {cookie}\nx = '+AGU-\\x41'  # Проверим окружение\n"
    found, _told = encoding.read_script(text.encode(saved))
    assert found == text.replace(f"coding: {cookie}", "coding: utf-8")
    assert ast.dump(ast.parse(found.encode())) == ast.dump(ast.parse(found))


def test_the_teachers_word_on_whose_a_file_is_makes_it_no_later(tmp_path: Path) -> None:
    """Moodle's archive tells no times, whatever its entries claim."""
    archive_of_all = tmp_path / "moodle.zip"
    name = "Ann Lee_657737_assignsubmission_file_/homework.py"
    archive_of_all.write_bytes(zipped({name: b"print(1)\n"}))
    first = gather(archive_of_all)
    (unread,) = first.unmatched
    mapped = {unread.source: GIVEN[0]}
    deadline = datetime.now(UTC) - timedelta(days=3)
    collected = collector.collect(archive_of_all, STUDENTS, GIVEN, mapped)
    (only,) = collector.after_all(collected, deadline, ()).submissions
    assert (only.student, only.submitted, only.late) == ("ann", None, False)


def headed(lesson: str = "ch8-4", lang: str = "en") -> str:
    return Header(lesson, "pt", ("nan-loss",), lang).line()


@pytest.mark.parametrize(
    "name", ["homework.py", "作业.py", "решение (2).PY", "final.py.txt", "a.ipynb"]
)
def test_a_file_of_another_name_is_known_by_its_first_line(tmp_path: Path, name: str) -> None:
    text = headed() + "print(1)\n"
    put(
        tmp_path / "ann" / name,
        notebooks.text(text, "print(2)") if name.endswith("ipynb") else text,
    )
    put(tmp_path / "bob.zip", zipped({name: b"print(1)\n"}))
    put(tmp_path / "ivan.zip", zipped({f"x/{name}": (tmp_path / "ann" / name).read_bytes()}))
    collected = gather(tmp_path)
    assert {s.student: s.refused for s in collected.submissions} == {"ann": None, "ivan": None}
    assert reasons(collected) == {f"bob.zip/{name}": "unknown-file"}


def test_beside_the_right_name_another_one_does_not_count(tmp_path: Path) -> None:
    put(tmp_path / "ann" / FILE, "print('mine')\n", age=5)
    put(tmp_path / "ann" / "backup.py", headed())
    put(tmp_path / "bob" / "of another lesson.py", headed("ch3-3"))
    put(tmp_path / "ivan" / "damaged.ipynb", "{" + headed())
    collected = gather(tmp_path)
    assert found(collected) == {"ann": b"print('mine')\n"}
    assert set(reasons(collected).values()) == {"unknown-file"}
    assert len(collected.unmatched) == 3


@pytest.mark.parametrize(
    "name",
    ["question.txt", "ch8-4-pt-question.txt", "Questions.md", "Вопрос.txt", "ch8-4-pt_问题.TXT",
     "question (1).txt"],
)  # fmt: skip
def test_a_question_comes_back_beside_the_exercise(tmp_path: Path, name: str) -> None:
    put(tmp_path / "ann" / name, "Почему 0?\n".encode("cp1251"))
    put(tmp_path / "bob.zip", zipped({name: b"Why?", FILE: b"print(1)"}))
    put(tmp_path / f"Иванов Иван_7_assignsubmission_file_{name}", "为什么？")
    put(tmp_path / "4711" / name, "")
    collected = gather(tmp_path)
    asked = {each.target[0]: each.text for each in collected.questions}
    assert asked == {"ann": "Почему 0?", "bob": "Why?", "ivan": "为什么？"}
    assert list(found(collected)) == ["bob"]
    # An empty one asks nothing.
    assert list(reasons(collected)) == [f"4711/{name}"]


def test_a_question_is_about_the_exercise_that_its_name_tells(tmp_path: Path) -> None:
    both = [given("ann", "ch3-3"), given("ann")]
    put(tmp_path / "ann" / "ch3-3-pt-question.txt", "one")
    put(tmp_path / "ann" / "question.txt", "other")
    collected = collector.collect(tmp_path, STUDENTS, both)
    assert {q.text: q.target[1] for q in collected.questions} == {"one": "ch3-3", "other": "ch8-4"}

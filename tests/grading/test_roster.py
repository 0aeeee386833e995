"""Rosters: columns, delimiters, encodings, and every line that cannot be used."""

from pathlib import Path

import pytest

from course.base.errors import UserError
from course.grading import table_file
from course.grading.distribute import roster
from course.grading.distribute.assignment import Student

RUSSIAN = ["Иванов Иван", "Анна Ли", "СИДОРОВ ПЁТР", "Ольга Щербакова", "Юля"]
CHINESE = ["王小明", "李娜", "赵", "欧阳璐", "张鑫"]


def write(folder: Path, data: str | bytes, encoding: str = "utf-8") -> Path:
    path = folder / "roster.csv"
    path.write_bytes(data if isinstance(data, bytes) else data.encode(encoding))
    return path


def names(path: Path) -> list[str]:
    return [s.name for s in roster.read(path, "en")]


@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_columns_come_in_any_order_with_any_delimiter(
    tmp_path: Path, delimiter: str, end: str
) -> None:
    rows = ["Lang,year,NAME, Id ", "zh,x,王小明,w1", ",,,", "RU_ru,y,Анна,a2", ",y,,c3"]
    text = end.join(rows).replace(",", delimiter) + end
    assert roster.read(write(tmp_path, text), "en") == (
        Student("w1", "王小明", "zh"),
        Student("a2", "Анна", "ru"),
        Student("c3", "c3", "en"),
    )


@pytest.mark.parametrize(
    ("known", "encoding"),
    [
        *((CHINESE, encoding) for encoding in ("utf-8", "utf-8-sig", "utf-16", "gb18030")),
        *((RUSSIAN, encoding) for encoding in ("utf-8", "utf-8-sig", "utf-16", "cp1251")),
    ],
)
@pytest.mark.parametrize("count", [1, 2, 5])
def test_names_come_out_in_whatever_encoding_they_were_saved(
    tmp_path: Path, known: list[str], encoding: str, count: int
) -> None:
    rows = "".join(f"s{i};{name};en\n" for i, name in enumerate(known[:count]))
    assert names(write(tmp_path, "id;name;lang\n" + rows, encoding)) == known[:count]


@pytest.mark.parametrize("name", RUSSIAN)
def test_one_russian_name_is_enough(tmp_path: Path, name: str) -> None:
    assert names(write(tmp_path, f"id,name\ns,{name}\n", "cp1251")) == [name]


@pytest.mark.parametrize(
    ("field", "name"),
    [
        ('=HYPERLINK("x")', '=HYPERLINK("x")'),
        ('"Lee, Ann"', "Lee, Ann"),
        ('"Ann ""the"" Lee"', 'Ann "the" Lee'),
        ('Ann "the" Lee', 'Ann "the" Lee'),
        ("  O'Brien  Jr ", "O'Brien  Jr"),
        ("@+-", "@+-"),
        ("שלום", "שלום"),
    ],
)
def test_names_stay_as_they_are(tmp_path: Path, field: str, name: str) -> None:
    assert names(write(tmp_path, f"id,name\ns,{field}\n")) == [name]


@pytest.mark.parametrize(
    "own", ["a.b@c.example", "王小明", "Анна 2", "x_y-z", "0001", "a" * 100, "console", "com10"]
)
def test_ids_may_be_in_any_script(tmp_path: Path, own: str) -> None:
    assert roster.read(write(tmp_path, f"id\n{own}\n"), "en")[0].id == own


@pytest.mark.parametrize(
    "own",
    ["..", ".x", "x.", "a/b", "a\\b", "a:b", "a\x07b", "a\u202eb", "con", "NUL.txt", "Lpt¹",
     "a" * 101, "字" * 90, "a*", "x\u2028y"],
)  # fmt: skip
def test_an_id_that_is_no_folder_everywhere_is_told(tmp_path: Path, own: str) -> None:
    with pytest.raises(UserError, match=r"Line 3 of .* cannot be the name of a folder") as told:
        roster.read(write(tmp_path, f"id,name\nok,\n{own},x\n"), "en")
    assert str(told.value).isprintable()


@pytest.mark.parametrize(
    ("first", "second"),
    [("ann", "ann"), ("ann", "ANN"), ("é", "e\u0301"), ("straße", "STRASSE"), ("ИВАН", "иван")],
)
def test_ids_that_one_file_system_takes_for_the_same_are_told(
    tmp_path: Path, first: str, second: str
) -> None:
    with pytest.raises(UserError, match="lines 2 and 4 have the same id"):
        roster.read(write(tmp_path, f"id\n{first}\nother\n{second}\n"), "en")


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (b"", "There is no student in"),
        (b"\xef\xbb\xbf\r\n", "There is no student in"),
        (b"id,name\n", "There is no student"),
        (b"name,lang\nx,en\n", "has no column `id`"),
        (b"id,name\nx,y\n,z\n", "Line 3 of .* has no id"),
        (b"First name,Last name,Groups\nAnn,Lee,A\n", "has no column `id`"),
        # Lines are counted as an editor counts them.
        (b'\nid,name\na,"x\ny"\n\n,z\n', "Line 6 of .* has no id"),
        (b"id,lang\nx,xx\n", ":2`: `lang` does not accept `xx`.*`en`, `ru`, `zh`"),
        (b'id,name\nx,"y\nz,w\n', "Line 2 of .* quotation mark"),
        (b'id,name\nx,"a"b\n', "Line 2 of .* quotation mark"),
        (b"id,name\nx,Lee, Ann\n", "Line 2 of .* more fields"),
        (b"id,moodle\nx,none\n", "Line 2 of .* must end in a number"),
        (b"id,canvas\nx,7\ny,7\n", "lines 2 and 3 have the same id, `canvas:7`"),
        (b"id\n\xff\xfe\xfd\x98\n", "is not in UTF-8"),
        (b"id\nx\0y\n", "is not in UTF-8"),
        ("id,name\nx,Müller\n".encode("latin-1"), "is not in UTF-8"),
        (b"id\n" + b"x" * table_file.CAP, "too large"),
    ],
)
def test_what_is_wrong_is_told_in_a_sentence(tmp_path: Path, data: bytes, says: str) -> None:
    with pytest.raises(UserError, match=says):
        roster.read(write(tmp_path, data), "en")


def test_a_missing_file_and_a_folder_are_told(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="There is no file"):
        roster.read(tmp_path / "none.csv", "en")
    with pytest.raises(UserError, match="is a folder"):
        roster.read(tmp_path, "en")


def test_the_platforms_numbers_are_aliases(tmp_path: Path) -> None:
    path = write(tmp_path, "id,Moodle,canvas\na,Participant 0657737,340934\nb,,\n")
    assert [s.aliases for s in roster.read(path, "en")] == [
        ("moodle:657737", "canvas:340934"),
        (),
    ]


MOODLE = {
    "en": "First name,Last name,ID number,Email address\nAnn,Lee,007,ann@uni.example\n",
    "zh": "名,姓氏,ID号,电子邮件地址\n小明,王,007,wang@uni.example\n",
    "ru": "Имя,Фамилия,Индивидуальный номер,Адрес электронной почты\nАнна,Ли,007,li@uni.example\n",
}
CANVAS = """Student,ID,SIS User ID,SIS Login ID,Section,HW (4)
    Points Possible,,,,,4
"Lee, Ann",340934,007,annlee,NLP,
"Student, Test",99,,8a7f,NLP,
"""
GRADESCOPE = """First Name,Last Name,SID,Email,Role,Sections
Ann,Lee,007,ann@uni.example,Student,A
Tom,Ta,9,tom@uni.example,TA,
"""


@pytest.mark.parametrize(
    ("text", "student"),
    [
        (MOODLE["en"], Student("007", "Ann Lee", "en")),
        (MOODLE["zh"], Student("007", "王小明", "en")),
        (MOODLE["ru"], Student("007", "Анна Ли", "en")),
        (CANVAS, Student("007", "Lee, Ann", "en", ("canvas:340934",))),
        (GRADESCOPE, Student("007", "Ann Lee", "en")),
        ("id;ФИО\n007;Анна Ли\n", Student("007", "Анна Ли", "en")),
        # Without a number an address tells students apart.
        (
            "Identifier,Full name,Email address,Status\nParticipant 12,Ann Lee,a@uni.example,-\n",
            Student("a@uni.example", "Ann Lee", "en", ("moodle:12",)),
        ),
        (
            "Идентификатор,Полное имя,Адрес электронной почты\nУчастник 12,Анна Ли,a@uni.example\n",
            Student("a@uni.example", "Анна Ли", "en", ("moodle:12",)),
        ),
        (
            "标识符,全名,Email地址\n参与者12,王小明,a@uni.example\n",
            Student("a@uni.example", "王小明", "en", ("moodle:12",)),
        ),
        (
            "Student,ID,SIS Login ID,Section\nAnn Lee,340934,annlee,NLP\n",
            Student("annlee", "Ann Lee", "en", ("canvas:340934",)),
        ),
        (
            "First name,Last name,ID number,Email address,Groups\nAnn,Lee,,a@uni.example,2026\n",
            Student("a@uni.example", "Ann Lee", "en"),
        ),
    ],
)
def test_a_roster_is_read_as_a_platform_exports_it(
    tmp_path: Path, text: str, student: Student
) -> None:
    assert roster.read(write(tmp_path, text), "en") == (student,)

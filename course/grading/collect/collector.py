"""The way in: a place full of files becomes submissions, and a word on all that is none."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from io import BytesIO
from pathlib import Path
from types import MappingProxyType
from typing import IO

from course.base.errors import UserError
from course.base.i18n import _, about
from course.grading.collect import archive, asked, content, folder, timestamp
from course.grading.collect.asked import AskedQuestion
from course.grading.collect.found_file import CAPS, LARGE, FileRefused, FoundFile
from course.grading.collect.mapping import FileMapping
from course.grading.collect.student_matcher import FileOwner, StudentMatcher
from course.grading.collect.submission import Submission
from course.grading.collect.unmatched import Unmatched, UnmatchedFile, by_name, refusal
from course.grading.deadline import LateRule
from course.grading.distribute.assignment import Assignment, Student

VERSIONS = 20
"""Submissions of one exercise by one student that are kept: the newest."""
STUDENT = 1_000
"""Files that are looked at in a student's folder."""
NOTHING = LateRule()
_EARLIEST = datetime.min.replace(tzinfo=UTC)
Target = tuple[str, str, str]
"""A student, a lesson, a framework."""
Age = tuple[datetime, int, datetime, int, str]
"""What puts submissions in order: time, upload, time within an archive, number as a copy, name."""


@dataclass(frozen=True)
class Collected:
    """All that was found; submissions from the oldest to the newest, as far as that is known.

    `missing` are the assignments for which nothing was handed in. `earlier` is what rounds of
    grading before this one have kept, late or not by the deadline of today. `questions` are those
    that students have about their marks.
    """

    submissions: tuple[Submission, ...]
    unmatched: tuple[Unmatched, ...]
    missing: tuple[Assignment, ...]
    earlier: tuple[Submission, ...] = ()
    questions: tuple[AskedQuestion, ...] = ()


def collect(
    place: Path,
    students: Sequence[Student],
    assignments: Sequence[Assignment],
    mapping: FileMapping = MappingProxyType({}),
) -> Collected:
    """Collect the submissions in a folder or zip: a folder a student, or a platform's layout.

    Of a notebook, the script that its cells make is the submission. What the teacher's `mapping`
    says of a file holds whatever its name.

    A file's time is when it was last changed; that of an archive which a student has made is the
    archive's own, not what it claims of its entries. The archives of Moodle and Canvas do not tell
    when something was handed in: only the word of Canvas makes it late then. What nbgrader gave
    out was handed in when nbgrader says so.

    Raises:
        UserError: the place is neither a folder nor a zip, or cannot be read at all; or there is no
            file that the mapping names.

    """
    collector = _Collector(StudentMatcher(students, assignments), mapping)
    if place.is_dir():
        _from_folder(place, collector)
    else:
        _from_zip(place, collector)
    collector.expect_mapped()
    collector.settle_renamed()
    aged = sorted(collector.submissions, key=lambda pair: pair[0])
    submissions = tuple(submission for _age, submission in aged)
    targets = {target(each) for each in submissions}
    missing = tuple(a for a in assignments if target(a) not in targets)
    unmatched, questions = tuple(collector.unmatched), tuple(collector.questions)
    return Collected(submissions, unmatched, missing, questions=questions)


def target(of: Submission | Assignment) -> Target:
    """Return whose it is: the id of the student, the lesson, the framework."""
    return of.student, of.lesson, of.framework


def counting(submissions: Iterable[Submission]) -> dict[Target, Submission]:
    """Choose the submission that counts for each assignment, as put in order by `collect`.

    The newest before the deadline; where all are late, the newest. One that cannot be read counts
    only where no other does, so that a broken upload does not undo what was handed in well. The
    same content once more is no newer: it was there since it first came.
    """
    chosen: dict[Target, Submission] = {}
    for each in submissions:
        best = chosen.get(target(each))
        is_same = best is not None and best.digest == each.digest
        if (
            best is None
            or _worth(each) > _worth(best)
            or (_worth(each) == _worth(best) and not is_same)
        ):
            chosen[target(each)] = each
    return chosen


def _worth(submission: Submission) -> tuple[bool, bool]:
    return submission.refused is None, not submission.late


def in_order(collected: Collected) -> list[Submission]:
    """Sort the submissions found now and those kept from earlier rounds, oldest to newest.

    What has a time stands by it. What has none, as in the archives of Moodle, stands where it was
    found: behind all of the rounds before.
    """
    found = {(target(each), each.digest, each.submitted) for each in collected.submissions}
    kept = [e for e in collected.earlier if (target(e), e.digest, e.submitted) not in found]
    ordered = [*kept, *collected.submissions]
    dated = iter(
        sorted((e for e in ordered if e.submitted), key=lambda e: e.submitted or _EARLIEST)
    )
    return [next(dated) if each.submitted else each for each in ordered]


def after_all(
    collected: Collected,
    deadline: datetime | None,
    graded_before: Iterable[datetime],
    rule: LateRule = NOTHING,
) -> Collected:
    """Mark the late submissions of a collection by the rounds before.

    An archive without times can't say that a file in it is late. But where a class was graded
    after its deadline, with another file of that student, what comes anew was handed in later.
    """
    if deadline is None and not rule.extensions:
        return collected
    rounds = tuple(graded_before)
    known = {(target(each), each.digest) for each in collected.earlier}
    before = {target(each) for each in collected.earlier}

    def judged(each: Submission) -> Submission:
        end = rule.due(each.student, deadline)
        if end is not None and each.submitted:
            return replace(each, late=each.submitted > end)
        # The word of a platform holds for those who have no date of their own.
        return replace(each, late=False) if each.student in rule.extensions else each

    def anew(each: Submission) -> Submission:
        end = rule.due(each.student, deadline)
        closed = end is not None and any(moment > end for moment in rounds)
        is_new = target(each) in before and (target(each), each.digest) not in known
        return replace(each, late=True) if closed and not each.submitted and is_new else each

    return replace(
        collected,
        submissions=tuple(anew(judged(each)) for each in collected.submissions),
        earlier=tuple(map(judged, collected.earlier)),
    )


class _Collector:
    """What has been collected so far, and the rules by which more is taken."""

    def __init__(self, matcher: StudentMatcher, mapping: FileMapping) -> None:
        self.matcher = matcher
        self._mapping = mapping
        self._mapped: set[str] = set()
        self.submissions: list[tuple[Age, Submission]] = []
        self.questions: list[AskedQuestion] = []
        self._renamed: list[tuple[Age, Submission]] = []
        self.unmatched: list[Unmatched] = []
        self.stamps: dict[timestamp.Folder, datetime] = {}
        self._versions: Counter[Target] = Counter()

    def take(self, found: FoundFile) -> None:
        """Take what was found in the class's folder or archive.

        Raises:
            UnmatchedFile: it cannot be told whose it is.

        """
        mapped = self._mapping.get(found.source)
        if mapped is not None:
            place = self._mapped_place(found, mapped)
        else:
            place = self.matcher.find(found.parts)
        stamped = self.stamps.get(found.parts[:2])
        if stamped is not None and self.matcher.by_nbgrader(place.student):
            found = replace(found, time=stamped)
        name = place.parts[-1] if place.parts else ""
        if name.casefold().endswith(".zip"):
            self._take_archive(found, place, name)
        else:
            self._take_file(found, place, name, found.time)

    def _mapped_place(self, found: FoundFile, mapped: Assignment) -> FileOwner:
        """Whose a file is by the teacher's word; what a platform says of its time still holds."""
        own = (found.parts[-1],)
        try:
            place = self.matcher.find(found.parts)
        except UnmatchedFile:
            return FileOwner(mapped.student, own)
        return replace(place, student=mapped.student, parts=own)

    def expect_mapped(self) -> None:
        """Make sure that every file of the mapping was there.

        Raises:
            UserError: one was not; says which.

        """
        for source in self._mapping:
            if source not in self._mapped:
                raise UserError(_("There is no file {file}.").format(file=f"`{source}`"))

    def add_unmatched(
        self, found: FoundFile, reason: str, student: str | None, **figures: str | int
    ) -> None:
        """Record a file that counts for no assignment; `figures` fill its reason's sentence."""
        self.unmatched.append(Unmatched(found.source, reason, student, figures))

    def _take_file(
        self,
        found: FoundFile,
        place: FileOwner,
        name: str,
        time: datetime | None,
        *,
        inner: bool = False,
    ) -> bool:
        """Take a file of a student's; whether it is a submission."""
        known = self.matcher.exercise(place.student, name)
        mapped = self._mapping.get(found.source)
        if mapped is not None:
            self._mapped.add(found.source)
            known = (mapped, 0)
        if known is None and found.refused and not place.parts:
            # In the place of the student's own folder, so it stands for all that is in it.
            only = self.matcher.only(place.student)
            known = (only, 0) if only else None
        if known is None and self._take_question(found, place, name):
            return True
        kept = self.submissions
        if known is None and (named := self._by_first_line(found, place, name)):
            known, kept = (named, 0), self._renamed
        if known is None:
            self._stray_file(found, place, name)
            return False
        assignment, number = known
        if self._versions[target(assignment)] >= VERSIONS:
            self.add_unmatched(found, "too-many-versions", place.student, cap=VERSIONS)
            return True
        try:
            script, reason = content.read(found, name), None
        except FileRefused as refused:
            script, reason = None, refused.reason
        age = (found.time or _EARLIEST) if inner else _EARLIEST
        made = self._submission(assignment, found, place, time, script, reason)
        kept.append(((made.submitted or _EARLIEST, place.upload, age, number, found.source), made))
        return True

    def _take_question(self, found: FoundFile, place: FileOwner, name: str) -> bool:
        """Take a file that asks about a mark; whether it is one. Any of several is the last."""
        stem, given = asked.stem(name), self.matcher.given.get(place.student)
        text = asked.read(found) if stem is not None and given else ""
        if text and given:
            meant = self.matcher.exercise(place.student, f"{stem}.py") or (given[-1], 0)
            self.questions.append(AskedQuestion(target(meant[0]), text))
        return bool(text)

    def _by_first_line(self, found: FoundFile, place: FileOwner, name: str) -> Assignment | None:
        """Find the exercise that a file of another name says it is, of those the student has."""
        first = content.first_line(found, name)
        given = self.matcher.given.get(place.student, ())
        where = first and (first.lesson, first.framework)
        return next((a for a in given if (a.lesson, a.framework) == where), None)

    def settle_renamed(self) -> None:
        """Take files of other names for the exercises of which none came under its own name."""
        named = {target(each) for _age, each in self.submissions}
        for age, each in self._renamed:
            if target(each) not in named:
                self.submissions.append((age, each))
            else:
                wanted = self._wanted(each.student)
                known = Unmatched(each.source, "unknown-file", each.student, {"wanted": wanted})
                self.unmatched.append(known)

    def _submission(
        self,
        assignment: Assignment,
        found: FoundFile,
        place: FileOwner,
        time: datetime | None,
        script: bytes | None,
        reason: str | None,
    ) -> Submission:
        self._versions[target(assignment)] += 1
        submitted = time if place.dated else None
        given = (*target(assignment), script, found.source)
        return Submission(*given, submitted=submitted, late=place.late, refused=reason)

    def _stray_file(self, found: FoundFile, place: FileOwner, name: str) -> None:
        if self._is_nbgraders(found, place, name):
            return
        if not self.matcher.given.get(place.student) or self.matcher.is_exercise(name):
            self.add_unmatched(found, "not-given", place.student)
            return
        reason = by_name(name)
        self.add_unmatched(found, reason, place.student, wanted=self._wanted(place.student))

    def _is_nbgraders(self, found: FoundFile, place: FileOwner, name: str) -> bool:
        """Whether a file is nbgrader's own, or lies in the folder of another of its assignments."""
        stems = self.matcher.by_nbgrader(place.student)
        if not stems or len(found.parts) < 3:
            return False
        other = found.parts[:2] in self.stamps and found.parts[1] not in stems
        return other or name.casefold() in timestamp.OWN

    def _wanted(self, student: str) -> str:
        return " ".join(a.file_name for a in self.matcher.given.get(student, ()))

    def _take_archive(self, found: FoundFile, place: FileOwner, name: str) -> None:
        """Take what is in an archive of a student's."""
        try:
            data, told = BytesIO(found.read(LARGE)), len(self.unmatched)
            with archive.opened(data, found.source, CAPS["too-many"]) as entries:
                if any(each.refused == "outside" for each in entries):
                    raise FileRefused("outside")
                taken = [self._take_entry(each, found, place) for each in _newest_first(entries)]
        except FileRefused as refused:
            reason = "archive-large" if refused.reason == "too-large" else refused.reason
            known = self.matcher.exercise(place.student, f"{name[:-4]}.py")
            assignment = known[0] if known else self.matcher.only(place.student)
            if assignment is None:
                self.add_unmatched(found, reason, place.student)
            elif self._versions[target(assignment)] < VERSIONS:
                made = self._submission(assignment, found, place, found.time, None, reason)
                age = (made.submitted or _EARLIEST, place.upload, _EARLIEST, 0, found.source)
                self.submissions.append((age, made))
            return
        if not any(taken) and len(self.unmatched) == told:
            self.add_unmatched(
                found, "empty-archive", place.student, wanted=self._wanted(place.student)
            )

    def _take_entry(self, entry: FoundFile, outer: FoundFile, place: FileOwner) -> bool:
        name = entry.parts[-1]
        if name.casefold().endswith(".zip"):
            self.add_unmatched(entry, "nested-archive", place.student)
            return False
        return self._take_file(entry, place, name, outer.time, inner=True)


def _from_folder(place: Path, collector: _Collector) -> None:
    """Take what lies in a folder; a zip right in it that is no student's is a class's.

    Raises:
        UserError: the folder cannot be listed.

    """

    def cap(name: str) -> int:
        return STUDENT if collector.matcher.has_folder(name) else archive.CLASS

    try:
        listed = list(folder.listing(place, cap))
    except OSError as error:
        sentence = _("{path} cannot be read: {reason}.")
        raise UserError(sentence.format(path=f"`{place}`", reason=error.strerror)) from error
    collector.unmatched += [each for each in listed if isinstance(each, Unmatched)]
    files = [each for each in listed if isinstance(each, FoundFile)]
    whole = [each for each in files if _is_whole_class(each, collector.matcher)]
    _take_all([each for each in files if each not in whole], collector)
    for found in whole:
        try:
            with folder.stream(place.joinpath(*found.parts)) as stream:
                _from_archive(stream, found.source, collector)
        except FileRefused as refused:
            collector.add_unmatched(found, refused.reason, None, cap=archive.CLASS)


def _is_whole_class(found: FoundFile, matcher: StudentMatcher) -> bool:
    is_archive = len(found.parts) == 1 and found.parts[0].casefold().endswith(".zip")
    return is_archive and _lost(found.parts, matcher) == "no-student"


def _from_zip(place: Path, collector: _Collector) -> None:
    """Take what is in a class's archive.

    Raises:
        UserError: it is missing, or cannot be read.

    """
    if not place.is_file() or place.suffix.casefold() != ".zip":
        sentence = _("{path} is not a folder or a zip. Give the folder with the submissions.")
        raise UserError(sentence.format(path=f"`{place}`"))
    try:
        _from_archive(place, place.name, collector)
    except FileRefused as refused:
        why = refusal(refused.reason, archive.CLASS)
        raise UserError(about(f"`{place}`", why)) from refused


def _from_archive(file: Path | IO[bytes], source: str, collector: _Collector) -> None:
    """Take what is in a class's archive.

    Raises:
        FileRefused: it is no zip that can be read.

    """
    with archive.opened(file, source, archive.CLASS) as entries:
        _take_all(entries, collector)


def _take_all(files: list[FoundFile], collector: _Collector) -> None:
    """Take what was found in a folder or an archive of the class."""
    unwrapped = _unwrapped(files, collector.matcher)
    collector.stamps = timestamp.times(unwrapped)
    for found in _newest_first(unwrapped):
        if found.refused == "outside":
            collector.add_unmatched(found, "outside", None)
            continue
        try:
            collector.take(found)
        except UnmatchedFile as lost:
            collector.add_unmatched(found, lost.reason, None, **lost.figures)


def _unwrapped(files: list[FoundFile], matcher: StudentMatcher) -> list[FoundFile]:
    """Without a folder round everything, as one has who zips a folder or unpacks into one."""
    inner = files
    while all(_lost(each.parts, matcher) for each in inner):
        first = {each.parts[0] for each in inner}
        if len(first) != 1 or any(map(matcher.has_folder, first)):
            return files
        parts = [each.parts[1:] for each in inner]
        if not all(parts):
            return files
        inner = [replace(each, parts=rest) for each, rest in zip(inner, parts, strict=True)]
    return inner


def _lost(parts: tuple[str, ...], matcher: StudentMatcher) -> str | None:
    """Why it cannot be told whose a file is; None where it can."""
    try:
        matcher.find(parts)
    except UnmatchedFile as lost:
        return lost.reason
    return None


def _newest_first(files: list[FoundFile]) -> list[FoundFile]:
    return sorted(files, key=lambda each: each.time or _EARLIEST, reverse=True)

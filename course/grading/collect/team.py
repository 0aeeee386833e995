"""Teams: what one member hands in counts for all, and so does the latest date of any of them."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import datetime

from course.grading.collect.collector import Collected, Target, target
from course.grading.collect.submission import Submission
from course.grading.deadline import LateRule
from course.grading.distribute.assignment import Assignment, Student, by_team


def shared(
    collected: Collected, students: Sequence[Student], assignments: Iterable[Assignment]
) -> Collected:
    """Return the collection, with each submission of a team's as one of every member."""
    given = {target(each): each for each in assignments}
    teams = by_team(students)
    mates = {each.id: teams[each.team] for each in students if each.team}

    def spread(submissions: Iterable[Submission]) -> tuple[Submission, ...]:
        found: dict[tuple[Target, str, datetime | None], Submission] = {}
        for each in submissions:
            for one in (each, *copies(each)):
                # Who handed in the same at the same time keeps the name of the own file.
                known = (target(one), one.digest, one.submitted)
                if one is each:
                    found[known] = one
                else:
                    found.setdefault(known, one)
        return tuple(found.values())

    def copies(each: Submission) -> Iterator[Submission]:
        own = given.get(target(each))
        for mate in mates.get(each.student, ()):
            copy = replace(each, student=mate.id)
            theirs = given.get(target(copy))
            if mate.id != each.student and own and theirs and own.bugs == theirs.bugs:
                yield copy

    came = spread(collected.submissions)
    targets = {target(each) for each in came}
    missing = tuple(each for each in collected.missing if target(each) not in targets)
    return replace(collected, submissions=came, missing=missing, earlier=spread(collected.earlier))


def shared_rule(rule: LateRule, deadline: datetime | None, students: Iterable[Student]) -> LateRule:
    """Make a rule in which the latest date of a member with an own one is the team's."""
    extensions = dict(rule.extensions)
    for members in by_team(students).values():
        if any(each.id in rule.extensions for each in members):
            dates = [rule.due(each.id, deadline) for each in members]
            latest = max(date for date in dates if date is not None)
            extensions |= dict.fromkeys((each.id for each in members), latest)
    return replace(rule, extensions=extensions)

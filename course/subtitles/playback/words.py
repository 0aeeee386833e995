"""What the playback page says later, by its script, in the language in force."""

from course.base.i18n import _, ngettext

NAMES = {"zh": "中文", "en": "English", "ru": "Русский"}
"""What languages call themselves: the same on a page in any language."""
_COUNTS = {"one": 1, "few": 2, "many": 5, "other": 100}
"""Categories of plurals, as browsers name them, each with a number that is of it."""


def name(language: str) -> str:
    """Return the name of a language in itself, or its code."""
    return NAMES.get(language, language)


def in_script() -> dict[str, str | dict[str, str]]:
    """Return the words of the script, by their names in `playback.js`; counts in each plural."""
    return {
        "play": _("Play"),
        "pause": _("Pause"),
        # Translators: where the slider of the video stands, as in "1:23 of 4:08".
        "at": _("{some} of {all}"),
        "watch": _("Watch at {time} on YouTube"),
        "mirror": _("Watch at {time} on the mirror"),
        "rate": _("Speed {rate}"),
        "copied": _("The link to {time} is copied."),
        "in_address": _("The link is in the address bar now: copy it from there."),
        "resumed": _("You were at {time}: it goes on from there."),
        "unplayable": _("This browser cannot play {name}. MP4 (H.264) and WebM work in most."),
        "embedded": _("The video on YouTube"),
        "blocked": _(
            "YouTube's player cannot be reached from here, so the text follows this clock. Choose "
            "the video's file to play it here."
        ),
        "matches": {name: ngettext("{n} match", "{n} matches", n) for name, n in _COUNTS.items()},
        # Translators: which of the places found by a search is the one in hand: "3 of 12 matches".
        "match": {
            name: ngettext("{at} of {n} match", "{at} of {n} matches", n)
            for name, n in _COUNTS.items()
        },
    }


def shortcuts() -> list[tuple[tuple[str, ...], str]]:
    """Return the keys of the page, each with its effect; several with the same in one row."""
    # Translators: the name of a key.
    return [
        ((_("Space"), "K"), _("Play or pause")),
        (("J", "L"), _("10 seconds back, 10 seconds forward")),
        (("←", "→"), _("5 seconds back, 5 seconds forward")),
        (("P", "N"), _("Previous step, next step")),
        (("[", "]"), _("Slower, faster")),
        (("F",), _("Follow the video again")),
        (("H",), _("For the hall: one step in large type; arrows turn, Esc closes")),
        (("/",), _("Search; then Enter for the next match, Shift and Enter for the one before")),
        (("?",), _("Show this list")),
    ]

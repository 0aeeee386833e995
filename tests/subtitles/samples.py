"""Transcripts that say the same, each with one defect: all made of a clean one."""

CLEAN = """\
1
00:00:01,000 --> 00:00:03,500
Today we read a stack trace.

2
00:00:03,500 --> 00:00:06,000
The last line names the error,
and the lines above say where.

3
00:01:02,040 --> 00:01:04,000
<s> and <pad> are words here.
"""
FIRST, SECOND = "Today we read a stack trace.", "The last line names"
THIRD = "<s> and <pad> are words here."


def but(*changes: tuple[str, str], of: str = CLEAN) -> str:
    """Make a text in which each of these is replaced wherever it stands."""
    for old, new in changes:
        assert old in of
        of = of.replace(old, new)
    return of


ZH_EN = but(
    (FIRST, f"今天我们来读一段错误信息。\n{FIRST}"),
    (SECOND, f"最后一行说出错误的名字，\n上面几行说出它在哪里。\n{SECOND}"),
    (THIRD, f"<s> 和 <pad> 在这里是词。\n{THIRD}"),
)
RU = but(
    (FIRST, "Сегодня читаем сообщение об ошибке."),
    ("The last line names the error,", "В последней строке названа ошибка,"),
    ("and the lines above say where.", "а выше показано её место."),
    (THIRD, "Здесь <s> и <pad> — слова."),
)
PASTED = but(("\n\n", "\n"))
UNNUMBERED = but(("1\n0", "0"), ("2\n0", "0"), ("3\n0", "0"))
VTT = """\
WEBVTT Reading errors
Kind: captions

STYLE
::cue { color: white }

NOTE first take
of two

1
00:01.000 --> 00:03.500
Today we read a stack trace.

2
00:03.500 --> 00:06.000 line:0 align:start
The last line names the error,
and the lines above say where.

the end
00:01:02.040 --> 00:01:04.000
&lt;s&gt; and &lt;pad&gt; are words here.
"""
TEXTS = {
    "clean.srt": CLEAN,
    "zh-en.srt": ZH_EN,
    "ru.srt": RU,
    "captions.vtt": VTT,
    "captions.sbv": but((",0", ".0"), (",5", ".5"), (" --> ", ","), ("00:0", "0:0"), of=UNNUMBERED),
    "en-zh-with-note.srt": but(
        (FIRST, f"{FIRST}\n*[译者注: stack trace 也叫调用栈]\n今天我们来读一段错误信息。"),
        ("say where.", "say where.\n最后一行说出错误的名字，\n上面几行说出它在哪里。"),
        (THIRD, "<s>, <pad>\n<s>、<pad>"),
    ),
    # Line ends.
    "cr.srt": but(("\n", "\r")),
    "crlf.srt": but(("\n", "\r\n")),
    "doubled-line-ends.srt": but(("\n", "\r\r\n")),
    "double-spaced.srt": but(("\n", "\n\n"), of=PASTED),
    "mixed-line-ends.srt": but(
        ("1\n00:00:01", "1\r\n00:00:01"), ("trace.\n\n", "trace.\r\r\n"), ("06,000\n", "06,000\r"),
        ("error,\n", "error,\r\n"), ("where.\n\n3\n", "where.\n\r3\r\n"),
        ("words here.\n", "words here.\r"),
    ),
    "no-final-line-end.srt": CLEAN.rstrip(),
    "missing-blank-lines.srt": PASTED,
    "pasted.txt": f"video.srt (12 lines) (raw):\n{PASTED}".rstrip(),
    "blank-line-above-text.srt": but((THIRD, f"\n{THIRD}")),
    "blank-line-in-cue.srt": but(("error,\n", "error,\n\n")),
    # Times.
    "dot-times.srt": but((",0", ".0"), (",5", ".5")),
    "escaped-arrows.srt": but(("-->", "--&gt;")),
    "full-width-times.srt": but((":", "："), (",0", "，0"), (",5", "，5")),
    "sbv-time-in-srt.srt": but(("00:00:03,500 --> 00:00:06,000", "0:00:03.500,0:00:06.000")),
    "short-fractions.srt": but((",000", ",00"), (",500", ",5"), (",040", ",04")),
    "short-hours.srt": but(("00:0", "0:0")),
    "spaced-times.srt": but((" --> ", "->"), ("00:00:", "00: 00: ")),
    "ends-before-it-begins.srt": but(("01:04", "01:01")),
    "overlap.srt": but(("03,500 -->", "03,000 -->")),
    "times-run-backwards.srt": but(("01:02", "00:00"), ("01:04", "00:01")),
    "zero-length.srt": but(("01:04,000", "01:02,040")),
    "unreadable-end.srt": but(("00:01:04", "0?:04")),
    "unreadable-time.srt": but(("00:00:03,500 -->", "00:00:O3,500 -->")),
    # Numbers.
    "no-numbers.srt": UNNUMBERED,
    "number-missing.srt": but(("\n2\n", "\n")),
    "number-gap.srt": but(("\n2\n", "\n7\n"), ("\n3\n", "\n8\n")),
    "number-repeated.srt": but(("\n3\n", "\n2\n")),
    "number-backwards.srt": but(("\n2\n", "\n5\n")),
    "number-beside-times.srt": but(("2\n0", "2 0")),
    "number-as-text.srt": but((FIRST, "2023"), (THIRD, "2")),
    "number-as-text-pasted.srt": but((FIRST, "2023"), (THIRD, "4"), of=PASTED),
    "number-as-text-unnumbered.srt": but(
        (FIRST, "1"), (f"{SECOND} the error,\nand the lines above say where.", "2"), (THIRD, "3"),
        of=UNNUMBERED,
    ),
    # What is said.
    "arrow-in-text.srt": but(("trace.", "trace --> here.")),
    "script-in-text.srt": but(("stack trace", "<script>alert(1)</script>")),
    "control-characters.srt": but(("stack trace.", "\x1b[31mstack\u2028trace\x07.")),
    "nul-bytes.srt": but(("stack", "st\0ack")),
    "empty-cue.srt": but((FIRST, "")),
    "settings.srt": but(("06,000", "06,000  X1:100 X2:200 Y1:10 Y2:20")),
    "text-beside-times.srt": but(("06,000\n", "06,000 ")),
    "text-outside-cues.srt": f"Reading errors\nA film in three cues\n\n{CLEAN}",
    "truncated-number.srt": f"{CLEAN}\n4",
    "truncated-times.srt": f"{CLEAN}\n4\n00:01:05,000 --> 00:0",
    "truncated-text.srt": f"{CLEAN}\n4\n00:01:05,000 --> 00:01:06,000",
    "byte-order-mark.srt": f"\ufeff{CLEAN}",
}  # fmt: skip
SAMPLES = {name: text.encode() for name, text in TEXTS.items()} | {
    "cp1251.srt": RU.encode("cp1251"),
    "cp1252.srt": but(("Today", "At the café")).encode("cp1252"),
    "gb18030.srt": ZH_EN.encode("gb18030"),
    "damaged-utf-8.srt": ZH_EN.encode().replace(b"\xe4\xbb\x8a", b"\xe4?\x8a", 1),
    "utf-16-be.srt": f"\ufeff{CLEAN}".encode("utf-16-be"),
    "utf-16-be-unmarked.srt": CLEAN.encode("utf-16-be"),
    "utf-16-le.srt": f"\ufeff{CLEAN}".encode("utf-16-le"),
    "utf-16-le-unmarked.srt": CLEAN.encode("utf-16-le"),
}
"""Each transcript as it would lie in a file, by that file's name."""

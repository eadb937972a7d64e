"""Whatever is written, the engine answers or refuses: by its own error, at once, in little memory.

20,000 strings by default; FUZZ=200000 for more (`make fuzz`).
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from functools import cache
from random import Random

import pytest

from onthedot.schedule.expression import cron
from onthedot.schedule.expression.errors import ScheduleError
from onthedot.schedule.expression.fields import read_field
from onthedot.schedule.schedule import compile_schedule, pack
from onthedot.schedule.time.zone_names import zone_names
from onthedot.schedule.words.phrases import explanation_with_changes
from onthedot.schedule.words.schedule_preview import Window, preview
from tests.schedule.oracles.expressions import five_fields, seven_fields, six_fields
from tests.schedule.test_errors import CODES, TABLE

pytestmark = pytest.mark.deep

STRINGS = int(os.environ.get("FUZZ", "20000"))
CHUNKS = 8
CPU_MAX_SEC = 0.005
MEMORY_MAX_KB = 50 * 1024
AFTER = 1_795_000_000
EVERY_ZONE = sorted(zone_names())

VALID = [text for text, code, *_ in TABLE if code == "never_fires"] + [
    "30 2 * * *",
    "*/15 9-17 * * MON-FRI",
    "0 0 L,LW,15W * 1#1,5L",
    "H H(0-5) H/3 * *",
    "*/20 * * * * * 2026-2030",
    "@every 1h30m",
    "@daily",
    "rate(5 minutes)",
    "cron(0 10 ? * MON-FRI *)",
    "at(2027-02-03T10:20:30)",
]
WORDS = (
    "* ? L W LW H R # / - , 0 1 5 7 8 12 13 23 24 31 32 59 60 61 99 2026 2199 2200 -1 1.5 0x1 1e3 "
    "MON SUN sat JAN FEB dec NOON LL WL 15W W15 5L L5 1#1 1#6 */0 */1 */60 */61 1-0 59-58 31-1 "
    "H(0-5) H(5-0) H(0-60)/7 H/0 R(1-2) @every @daily @reboot rate(1 day) cron( at( ) "
    "99999999999999999999999999999999 00000000000000000005"
).split()
LETTERS = "0123456789*/-,?#LWHR() @:.+TZabcdefmonfriJANMAR\t\n\0"
CHOICES = ["first", "last", "both", "fire", "skip", "shift", "auto", "fixed", "", "é", "x" * 300]
# Compiles what the other tests do and tells by how much the process has grown.
GROWTH = """
import resource
from tests.schedule import test_fuzz
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
for text in test_fuzz.everything():
    test_fuzz.answer(text)
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)
"""


def noise(dice: Random) -> str:
    """Returns any characters, of any plane, lone surrogates too."""
    tops = (0x80, 0x100, 0x2000, 0x11_0000)
    return "".join(chr(dice.randrange(dice.choice(tops))) for _ in range(dice.randrange(40)))


def letters(dice: Random) -> str:
    return "".join(dice.choice(LETTERS) for _ in range(dice.randrange(60)))


def junk(dice: Random) -> str:
    """Returns words of the grammar with no grammar."""
    words = [dice.choice(WORDS) for _ in range(dice.randrange(9))]
    return dice.choice((" ", " ", " ", ",", "")).join(words)


def fields(dice: Random) -> str:
    """Returns five to seven fields, each of them lists of words."""
    counts = [dice.choice((1, 1, 1, 2, 3)) for _ in range(dice.randint(5, 7))]
    return " ".join(",".join(dice.choice(WORDS) for _ in range(count)) for count in counts)


def mutated(dice: Random) -> str:
    """Changes a valid expression in up to three places."""
    makers = (five_fields, six_fields, seven_fields, lambda dice: dice.choice(VALID))
    text = dice.choice(makers)(dice)
    for _ in range(dice.choice((0, 1, 1, 2, 3))):
        at = dice.randrange(len(text) + 1)
        put = dice.choice((*LETTERS, "", "", dice.choice(WORDS)))
        text = text[:at] + put + text[at + dice.randrange(3) :]
    return text


def repeated(dice: Random) -> str:
    """Fills the 256 characters, and goes beyond them, with one item."""
    word = dice.choice((*WORDS, "59-57", "31-29", "SUN-FRI", f"{dice.randrange(60)}-0", "1-5/2"))
    return _one_field(dice, [word] * (dice.randrange(200, 300) // (len(word) + 1)))


def long(dice: Random) -> str:
    """Fills them with different items, each of them valid in some field."""
    top = dice.choice((7, 12, 23, 59))
    form = dice.choice(("{}", "{}-{}", "{}-{}/{}"))
    draws = [[dice.randint(1, top) for _ in range(3)] for _ in range(dice.randint(20, 50))]
    return _one_field(dice, [form.format(*drawn) for drawn in draws])


def _one_field(dice: Random, items: list[str]) -> str:
    forms = ("{} * * * *", "* {} * * *", "0 0 {} * *", "0 0 * {} *", "0 0 * * {}", "0 {} 1 1 * * *")
    return dice.choice(forms).format(",".join(items))


MAKERS: tuple[Callable[[Random], str], ...] = (
    noise,
    letters,
    junk,
    fields,
    mutated,
    mutated,
    repeated,
    long,
)


def strings(chunk: int) -> Iterator[str]:
    dice = Random(f"fuzz {chunk}")
    for number in range(STRINGS // CHUNKS):
        yield MAKERS[number % len(MAKERS)](dice)


def everything() -> Iterator[str]:
    for chunk in range(CHUNKS):
        yield from strings(chunk)


@cache
def setting(number: int) -> tuple[str, dict[str, str]]:
    """Of every string's own: a zone, and places and policies, most of them valid."""
    dice = Random(number)
    names = (*EVERY_ZONE, "EST", "+05:00")
    zone = dice.choice(names) if dice.random() < 0.9 else dice.choice(MAKERS)(dice)
    choices = {
        "seconds": ("first", "last"),
        "dst_mode": ("auto", "interval", "fixed"),
        "dst_gap": ("fire", "skip", "shift"),
        "dst_overlap": ("first", "last", "both"),
    }
    chosen = {name: dice.choice(values) for name, values in choices.items()}
    if dice.random() < 0.05:
        chosen[dice.choice(list(chosen))] = dice.choice(CHOICES)
    return zone, chosen


def settings_of(text: str) -> tuple[str, dict[str, str]]:
    return setting(sum(text.encode(errors="replace")) % 997)


def answer(text: str) -> ScheduleError | None:
    """Asks for all that a door asks of a schedule; anything but the engine's own error escapes."""
    zone, choices = settings_of(text)
    seconds = choices["seconds"]
    try:
        schedule = compile_schedule(text, timezone=zone, seed="tsk_1", **choices)  # type: ignore[arg-type] # words
    except ScheduleError as error:
        return error
    preview(schedule, text, Window(after=AFTER, count=3), seconds=seconds)
    explanation_with_changes(schedule, AFTER)
    pack(schedule)
    return None


def cpu_sec(text: str) -> float:
    """Measures a compilation or a refusal."""
    zone, choices = settings_of(text)
    started = time.process_time()
    refusal(text, zone, **choices)
    return time.process_time() - started


def refusal(text: str, zone: str, **choices: str) -> ScheduleError | None:
    try:
        compile_schedule(text, timezone=zone, **choices)  # type: ignore[arg-type] # words
    except ScheduleError as error:
        return error
    return None


def cold_cpu_sec(text: str) -> float:
    read_field.cache_clear()
    cron.memo.clear()
    return cpu_sec(text)


@pytest.mark.parametrize("chunk", range(CHUNKS))
def test_whatever_is_written_is_answered_or_refused_with_a_documented_error(chunk: int) -> None:
    codes = Counter[str]()
    for text in strings(chunk):
        if (error := answer(text)) is None:
            codes["fires"] += 1
            continue
        codes[error.code] += 1
        start, end = error.position or (0, 0)

        assert error.code in CODES, text
        assert 0 <= start <= end <= len(text), (text, error.as_json())
        assert len(error.message) < 600, text
        assert json.loads(json.dumps(error.as_json()))["code"] == error.code

    assert codes["fires"] > STRINGS // CHUNKS // 20
    assert set(codes) >= {"not_ascii", "bad_value", "out_of_range", "field_count", "bad_name"}


@pytest.mark.parametrize("chunk", range(CHUNKS))
def test_no_string_takes_five_milliseconds(chunk: int) -> None:
    slow = [text for text in strings(chunk) if cpu_sec(text) > CPU_MAX_SEC]
    # The machine is noisy: what was slow once is asked again, with the memos forgotten.
    best = {text: min(cold_cpu_sec(text) for _ in range(3)) for text in slow}

    assert {text: taken for text, taken in best.items() if taken > CPU_MAX_SEC} == {}


def test_all_strings_together_take_less_than_fifty_megabytes() -> None:
    done = subprocess.run(
        [sys.executable, "-c", GROWTH], check=True, capture_output=True, text=True
    )

    assert int(done.stdout) < MEMORY_MAX_KB


@pytest.mark.parametrize("chunk", range(CHUNKS))
def test_any_name_of_a_zone_is_accepted_or_refused_at_once(chunk: int) -> None:
    dice = Random(f"zones {chunk}")
    for _ in range(STRINGS // CHUNKS // 10):
        name = dice.choice((noise, letters, _near_zone))(dice)
        error = refusal("0 9 * * *", name)

        assert (error is None) == (name in EVERY_ZONE), name
        assert error is None or error.code in CODES, name
        assert error is None or error.field == "timezone", name
        assert error is None or error.suggestion in {None, *EVERY_ZONE}, name


def _near_zone(dice: Random) -> str:
    """Changes a name a little: its case, a letter, its blanks."""
    name = dice.choice((*EVERY_ZONE, "EST5EDT", "Etc/GMT+5", "UTC+05:30", "GMT0"))
    at = dice.randrange(len(name))
    forms = (name.lower(), name.upper(), name[:at] + dice.choice(LETTERS) + name[at + 1 :])
    return dice.choice((*forms, name.replace("_", " "), name.rsplit("/")[-1], f"../{name}"))

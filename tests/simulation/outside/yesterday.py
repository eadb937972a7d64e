"""Yesterday's release at work beside today's: its own code, under a name of its own.

`python -m tests.simulation.outside.yesterday a255cf2` made the archive from the history.
"""

from __future__ import annotations

import io
import re
import subprocess
import sys
import tarfile
import zipfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any

from onthedot.records.runs.run_status import Reason
from onthedot.targets.attempt_outcome import Answer
from onthedot.targets.call import Call

if TYPE_CHECKING:
    from tests.simulation.machine.world import World
    from tests.simulation.stage import Stage

ARCHIVE = Path(__file__).with_name("yesterday.zip")
# Where each module of today was then: in one module, or in several.
FORMER: dict[str, list[str]] = {}
for _line in Path(__file__).with_name("former_names.txt").read_text().splitlines():
    _today, _then = _line.split()
    FORMER.setdefault(_today, []).append(_then)
NAME = "onthedot_yesterday"
_FLOWS = ("dispatch", "work", "bury")
_TODAY = re.compile(r"^(\s*)(from|import) onthedot\b", re.MULTILINE)
# The same bytes whenever it is made.
_DATE = (2026, 11, 18, 0, 0, 0)
_ALONE_SEC = 60
Replaced = tuple[Any, str, Any]


@dataclass(frozen=True, slots=True)
class Flows:
    """What a release does in a history."""

    dispatch: Callable[..., Any]
    work: Callable[..., Any]
    bury: Callable[..., Any]


@cache
def release() -> Flows:
    """Imports it, once."""
    sys.path.append(str(ARCHIVE))
    flows = {name: getattr(import_module(f"{NAME}.flows.{name}"), name) for name in _FLOWS}
    _its("core.keys").MANIFESTS = 1
    _its("flows.audit")
    return Flows(**flows)


def employ(world: World, until_sec: float) -> None:
    """Begins its audit each minute, as long as it is at work at all."""
    if until_sec:
        audit = _its("flows.audit").audit
        world.every(
            60, "audit", lambda _: audit(look_back_min=4), until_sec=until_sec, limit_sec=60
        )


def mixed(world: World, until_sec: float, today: Flows) -> Flows:
    """Yesterday's alone for a minute, then now the one and now the other, in the end today's."""
    random, before = Random(f"releases {world.seed}"), release()

    def either(old: Callable[..., Any], new: Callable[..., Any]) -> Callable[..., Any]:
        def chosen(*given: Any, **named: Any) -> Any:
            now_sec = world.now_us / 1_000_000
            older = now_sec < _ALONE_SEC or random.random() >= now_sec / until_sec
            return (old if older else new)(*given, **named)

        return chosen

    return Flows(**{name: either(getattr(before, name), getattr(today, name)) for name in _FLOWS})


def stand_ins(stage: Stage, replaced: Sequence[Replaced]) -> list[Replaced]:
    """Returns the same in the places where this release has them; its clock and its target are
    its own.
    """
    release()
    own: dict[tuple[str, str], Any] = {
        ("adapters.clock", "correct"): stage.correcting(_its("adapters.clock").correct),
        ("flows.deliver", "TARGETS"): dict.fromkeys(
            _its("flows.deliver").TARGETS, _answering(stage.deliver)
        ),
    }
    # What is in none of the former modules came later.
    return [
        (_its(its), name, own.get((its, name), stand_in))
        for module, name, stand_in in replaced
        for its in FORMER.get(module.__name__, [])
        if hasattr(_its(its), name)
    ]


def _its(module: str) -> Any:
    return import_module(f"{NAME}.{module}")


def _answering(deliver: Callable[[Call], Answer]) -> Callable[[Any], Any]:
    """It knows its own answers only, and reasons that are plain text."""
    policy = _its("core.policy")

    def call(asked: Any) -> Any:
        answer = deliver(asked)
        told = {name: getattr(answer, name) for name in type(answer).__slots__}
        plain = {name: one.value for name, one in told.items() if isinstance(one, Reason)}
        return getattr(policy, type(answer).__name__)(**told | plain)

    return call


def make(commit: str) -> None:
    """Packs what its flows import."""
    tar = subprocess.run(["git", "archive", commit, "onthedot"], capture_output=True, check=True)
    texts: dict[str, str] = {}
    with tarfile.open(fileobj=io.BytesIO(tar.stdout)) as archive:
        for member in archive:
            file = archive.extractfile(member)
            if file and member.name.endswith(".py"):
                text = _TODAY.sub(rf"\1\2 {NAME}", file.read().decode())
                texts[member.name.replace("onthedot", NAME, 1)] = text
    _write(texts)
    release()
    loaded = {name for name in sys.modules if name.split(".")[0] == NAME}
    used = {
        path: text
        for path, text in texts.items()
        if path.removesuffix(".py").removesuffix("/__init__").replace("/", ".") in loaded
    }
    _write(used)
    sys.stdout.write(f"{ARCHIVE}: {len(used)} modules of {commit}\n")


def _write(texts: dict[str, str]) -> None:
    with zipfile.ZipFile(ARCHIVE, "w", zipfile.ZIP_DEFLATED) as archive:
        for path, text in sorted(texts.items()):
            archive.writestr(zipfile.ZipInfo(path, _DATE), text, zipfile.ZIP_DEFLATED)


if __name__ == "__main__":
    make(sys.argv[1])

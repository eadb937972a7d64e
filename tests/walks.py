"""`python -m tests.walks`: how many modules of ours execute code for a tick, a run, a write.

With `--names` it names them.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping
from functools import partial

from tests.mutation.code import ROOT
from tests.mutation.reached import Reached, listen
from tests.simulation.calm import add, employ, go, wait
from tests.simulation.stage import Stage, make_stage, staged
from tests.simulation.users import user
from tests.simulation.users.caller import Caller, opened

_ROOMS = "schedule records store targets dispatch launch work registry upkeep api".split()
# The most that a reader should have to open.
MOST = {"a tick": 25, "a worked run": 35, "POST /v1/schedules": 45, "an edit": 30}
_DAILY = {"name": "report", "cron": "0 9 * * *", "target": {"type": "python", "handler": "hello"}}
_LATER = {"cron": "0 10 * * *"}


def counted() -> Mapping[str, list[str]]:
    """Names the modules of each walk, as it goes where nothing has gone wrong."""
    reached = listen(_modules())
    return {**_of_a_slot(reached), **_of_writes(reached)}


def _modules() -> Iterator[str]:
    for room in _ROOMS:
        for file in sorted((ROOT / "onthedot" / room).rglob("*.py")):
            path = file.relative_to(ROOT).with_suffix("")
            if path.name != "__init__":
                yield ".".join(path.parts)


def _of_a_slot(reached: Reached) -> dict[str, list[str]]:
    """Returns a schedule that fires each minute, on workers of their own."""
    stage = make_stage(1)
    with staged(stage):
        add(stage, "* * * * *")
        tick = _walk(reached, lambda: go(stage, 60))
        employ(stage)
        run = _walk(reached, lambda: wait(stage, 119))
        stage.world.close()
    return {"a tick": tick, "a worked run": run}


def _of_writes(reached: Reached) -> dict[str, list[str]]:
    """Returns the second one of each kind: the first one finds a process that knows nothing yet."""
    stage = make_stage(1)
    front = opened(stage)
    front.cold = 0.0
    caller = front.caller()
    with staged(stage):
        made = [_walk(reached, partial(_asked, stage, caller, name)) for name in ("a", "b")]
        tasks = [act.task_id for act in stage.acts]
        for one in tasks:
            _edited(stage, caller, one)
        edit = _walk(reached, lambda: user.patch(tasks[0], cron="0 11 * * *"))
        stage.world.close()
    return {"POST /v1/schedules": made[-1], "an edit": edit}


def _asked(stage: Stage, caller: Caller, name: str) -> None:
    body = _DAILY | {"name": name}
    _done(stage, lambda: caller.ask("POST /v1/schedules", body))


def _edited(stage: Stage, caller: Caller, task_id: str) -> None:
    route = f"PATCH /v1/schedules/{task_id}"
    _done(stage, lambda: caller.ask(route, _LATER, if_match='"1"'))


def _done(stage: Stage, act: Callable[[], object]) -> None:
    stage.world.spawn("user", act, at_sec=stage.world.now_us / 1_000_000)
    wait(stage, stage.world.now_us / 1_000_000 + 30)


def _walk(reached: Reached, act: Callable[[], object]) -> list[str]:
    reached.forget()
    act()
    return sorted({point.module for point in reached.points()})


def main(arguments: list[str]) -> int:
    for name, modules in counted().items():
        sys.stdout.write(f"{name:20} {len(modules):3} modules, at most {MOST[name]} are meant\n")
        sys.stdout.writelines(f"  {each}\n" for each in modules if "--names" in arguments)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

"""One user of a history: what they know, and how they ask."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random

from tests.simulation.stage import Stage
from tests.simulation.users.caller import Ask, Caller

TARGET = {"type": "python", "handler": "hello"}


@dataclass(slots=True)
class User:
    """One thing that a user does, at one time, with what is drawn for it."""

    stage: Stage
    caller: Caller
    # Another user's key, and the operator's.
    other: Caller
    operator: Caller
    random: Random

    def asks(self, *names: str) -> list[Ask]:
        """Returns what was done so far under these names."""
        return [
            act
            for act in self.stage.acts
            if isinstance(act, Ask) and act.done and act.name in names
        ]

    def schedule(self) -> str:
        """Draws one of the schedules that were made and, as far as users know, not deleted."""
        ended = {ask.task_id for ask in self.asks("delete")}
        made = [ask.task_id for ask in self.asks("create", "put") if ask.task_id not in ended]
        return self.random.choice(made) if made else ""

    def wait(self, most_sec: float) -> None:
        """Lets time pass."""
        self.stage.world.sleep(int(self.random.uniform(0, most_sec) * 1_000_000))

    def runs(self, task_id: str, *statuses: str) -> list[str]:
        """Returns the ids of a schedule's runs, as the API lists them; the newest first."""
        listed = self.caller.ask(f"GET /v1/schedules/{task_id}/runs?limit=50").said
        found = listed["data"] if listed else []
        return [run["run_id"] for run in found if run["status"] in statuses and not run["range"]]

    def carried_out(
        self, route: str, body: object = None, *, name: str, task_id: str = ""
    ) -> Ask | None:
        """Asks for the plan, look at it, carry it out; a second user may do so at the same time."""
        sign = "&" if "?" in route else "?"
        planned = self.caller.ask(f"{route}{sign}dry_run=true", body)
        if not planned.done:
            return None
        self.wait(20)
        plan = planned.said
        route = f"{route}{sign}plan_token={plan['plan_token']}"
        if self.random.random() < 0.3:
            self.stage.world.spawn(
                "user",
                lambda: self.other.ask(route, body, name=name, task_id=task_id, plan=plan),
                at_sec=self.stage.world.now_us / 1e6 + self.random.uniform(0, 2),
            )
        return self.caller.ask(route, body, name=name, task_id=task_id, plan=plan)

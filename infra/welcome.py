"""Ends `make deploy`: a key if none is valid, the code's schedules, new zones, limits.

The key is made with the deployer's own credentials: before it nobody can ask the API for one.
"""

import sys

from infra.outputs import become
from onthedot.registry import api_keys, code_schedules, declared_handlers, tenant_limits
from onthedot.registry.tenant_limits import Bounded
from onthedot.sdk.manifest import manifest
from onthedot.upkeep.completed_schedules import list_those_before
from onthedot.upkeep.new_tzdata import retime

_SHOWN = 5


def main() -> None:
    """Makes an admin key, unless one is valid, and does the rest."""
    outputs = become()
    key = api_keys.make_first()
    _say(f"\nThe API: {outputs['Url']}")
    if key is None:
        _say("There is an admin key already: make more keys with it.")
    else:
        _say(f"An admin key, shown this once: {key}")
    _say(_declared())
    for task_id in retime():
        _say(f"Fires earlier with the new time zone data: {task_id}")
    listed = sum(1 for _ in list_those_before())
    if listed:
        _say(f"Schedules that may be completed, for the audit to check: {listed}")
    waiting = tenant_limits.unbound()
    if waiting:
        _say(f"Finding what {', '.join(waiting)} call, in {tenant_limits.SETTLED_SEC:.0f} s")
    for each in tenant_limits.bound(waiting):
        _say(_bounded(each))
    _say("What to do next: docs/deploying.md")


def _declared() -> str:
    """Makes the schedules of `jobs/` as the code says. What operators paused stays paused."""
    found = manifest()["handlers"]
    declared_handlers.publish(each["handler"] for each in found)
    wanted = [each["schedule"] for each in found if each["schedule"]]
    done = code_schedules.register(wanted, api_keys.FIRST_TENANT)
    said = ", ".join(f"{number} {what}" for what, number in done.items()) or "none"
    return f"Schedules that jobs/ declares: {said}"


def _bounded(each: Bounded) -> str:
    """Says what was written for a tenant, and for which of its tasks: others would be refused."""
    lines = [f"{each.tenant_id} may call from now on: {', '.join(each.targets) or 'http and pull'}"]
    for thing, names in sorted(each.used.items()):
        shown = ", ".join(names[:_SHOWN]) + (", …" if len(names) > _SHOWN else "")
        lines.append(f"  {thing}: {len(names)} registered ({shown})")
    return "\n".join(lines)


def _say(text: str) -> None:
    sys.stdout.write(f"{text}\n")


if __name__ == "__main__":
    main()

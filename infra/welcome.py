"""Ends `make deploy`: a key if none is valid, the code's schedules, new zones, limits.

The key is made with the deployer's own credentials: before it nobody can ask the API for one.
"""

import os
import sys
from collections.abc import Mapping

from infra.kept_storage import TABLES
from infra.outputs import become
from onthedot.registry import api_keys, code_schedules, declared_handlers, tenant_limits
from onthedot.registry.tenant_limits import Bounded
from onthedot.sdk.manifest import manifest
from onthedot.store import aws
from onthedot.upkeep.completed_schedules import list_those_before
from onthedot.upkeep.new_tzdata import retime

_SHOWN = 5
_SSM = "ssm:"


def main() -> None:
    """Makes an admin key, unless one is valid, and does the rest."""
    outputs = become()
    protect(outputs)
    _say(f"\nThe API: {outputs['Url']}")
    _say(_first_key(os.environ.get("KEY_TO", "")))
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


def protect(outputs: Mapping[str, str]) -> None:
    """Protects the tables from deletion, now that the stack stands.

    In the template this would keep the empty tables of a failed first deployment.
    """
    client = aws.client("dynamodb")
    for part in TABLES:
        name = outputs[f"{part}Table"]
        if not client.describe_table(TableName=name)["Table"].get("DeletionProtectionEnabled"):
            # A table that is being changed, such as warmed, takes no other change.
            client.get_waiter("table_exists").wait(TableName=name)
            client.update_table(TableName=name, DeletionProtectionEnabled=True)


def _first_key(path: str) -> str:
    """Makes a key if none is valid, and shows it or writes it to a parameter store path."""
    if path and not path.startswith(_SSM):
        raise ValueError(f"KEY_TO is {path!r}; give a path of the parameter store, as ssm:/path")
    if api_keys.has_admin():
        return "There is an admin key already: make more keys with it."
    if not path:
        return f"An admin key, shown this once: {api_keys.make_first()}"
    # A key that cannot be handed over would be lost, so the right to write comes first.
    _put(path, "to come")
    _put(path, api_keys.make_first() or "")
    return f"An admin key is in the parameter store: {path.removeprefix(_SSM)}"


def _put(path: str, value: str) -> None:
    aws.client("ssm").put_parameter(
        Name=path.removeprefix(_SSM), Value=value, Type="SecureString", Overwrite=True
    )


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

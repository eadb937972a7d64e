"""Which module may import which: doors and lambdas, then flows, then adapters, then core."""

import ast
import sys
from collections.abc import Iterator

# An allowance ends in a dot where it means a whole package.
ALLOWED = {
    "onthedot/core": ("onthedot.core.",),
    # The clients, and the one table that pynamodb writes, are what adapters are made of.
    "onthedot/adapters": (
        "onthedot.core.",
        "onthedot.adapters.aws.",
        "onthedot.adapters.access_table.",
    ),
    "onthedot/flows": ("onthedot.core.", "onthedot.adapters.", "onthedot.flows."),
    "onthedot/api": ("onthedot.core.", "onthedot.adapters.", "onthedot.flows.", "onthedot.api."),
    # From here on these speak to the API over HTTP, as anybody's program would.
    "onthedot/client": ("onthedot.core.", "onthedot.client."),
    "onthedot/worker": (
        "onthedot.core.",
        "onthedot.adapters.",
        "onthedot.client.",
        "onthedot.worker.",
    ),
    "onthedot/cli": (
        "onthedot.core.",
        "onthedot.adapters.",
        "onthedot.flows.",
        "onthedot.client.",
        "onthedot.worker.",
        "onthedot.cli.",
    ),
    "onthedot/sdk": ("onthedot.core.", "onthedot.adapters.", "onthedot.flows.", "onthedot.sdk."),
    "onthedot/local": (
        "onthedot.core.",
        "onthedot.adapters.",
        "onthedot.flows.",
        "onthedot.local.",
    ),
    "lambdas": ("onthedot.core.", "onthedot.adapters.", "onthedot.flows.", "onthedot.api."),
}

OURS = {"onthedot", "lambdas", "infra", "app", "jobs", "tests", "bench"}

# Time, chance, identity, the machine and its logs reach the core as arguments, or not at all.
IMPURE = {
    "logging",
    "os",
    "random",
    "secrets",
    "socket",
    "subprocess",
    "threading",
    "time",
    "uuid",
}
PURE = set(sys.stdlib_module_names) - IMPURE | {"croniter", "tzdata"}


def imported(source: str) -> Iterator[str]:
    """Every dotted name that a module imports, down to the object."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def against_the_direction(path: str, source: str) -> list[str]:
    """The imports of our own packages that run the wrong way."""
    room = next((room for room in ALLOWED if path.startswith(f"{room}/")), None)
    if room is None:
        return []
    ours = [name for name in imported(source) if name.split(".")[0] in OURS]
    return [name for name in ours if not f"{name}.".startswith(ALLOWED[room])]


def of_a_handler(path: str, source: str) -> list[str]:
    """The imports of `lambdas`, which only a test may import."""
    if path.startswith("tests/"):
        return []
    return [name for name in imported(source) if name.split(".")[0] == "lambdas"]


def impure(path: str, source: str) -> list[str]:
    """What the core imports beyond the pure standard library and croniter."""
    if not path.startswith("onthedot/core/"):
        return []
    top = {name.split(".")[0] for name in imported(source)}
    return sorted(top - PURE - {"onthedot"})


def of_ours_in_the_black_box(path: str, source: str) -> list[str]:
    """The imports of our own code by the tests that are users: they know what is documented."""
    if not path.startswith("tests/blackbox/"):
        return []
    ours = [name for name in imported(source) if name.split(".")[0] in OURS]
    return [name for name in ours if not name.startswith("tests.blackbox.")]

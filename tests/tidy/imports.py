"""Which room may import which: the list runs as data flows, and each may use what stands above."""

import ast
import re
import sys
from collections.abc import Iterable, Iterator, Mapping

# The order of the rooms; ARCHITECTURE.md says what each is for.
ROOMS = (
    "onthedot/schedule",
    "onthedot/records",
    "onthedot/store",
    "onthedot/targets",
    "onthedot/dispatch",
    "onthedot/launch",
    "onthedot/work",
    "onthedot/registry",
    "onthedot/upkeep",
    "onthedot/api",
    "lambdas",
)
# The other doors: beside their own folder they use these. The pure rooms are open to all.
DOORS = {
    "onthedot/client": (),
    "onthedot/worker": ("onthedot/client", "onthedot/store", "onthedot/targets"),
    "onthedot/cli": ("onthedot/client", "onthedot/worker", "onthedot/targets"),
    "onthedot/sdk": ("onthedot/targets", "onthedot/registry"),
    "onthedot/local": tuple(room for room in ROOMS if room not in {"onthedot/api", "lambdas"}),
}
# None of these imports a module that reaches the store.
PURE_ROOMS = ("onthedot/schedule", "onthedot/records")

# Messages are sent by the first, and received, kept, postponed and deleted by the others.
MESSAGES = ("onthedot/store/run_messages.py", "onthedot/work/batch.py", "onthedot/work/refill.py")

OURS = {"onthedot", "lambdas", "infra", "app", "jobs", "tests", "bench"}

# Time, chance, identity, the machine and its logs reach pure code as arguments, or not at all.
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
_IMPORT = re.compile(
    r"(?:\bfrom |import_module\(\"|-m )((?:onthedot|lambdas)(?:\.[a-z_]\w*)*)\b(?!\.\")"
)
PURE = set(sys.stdlib_module_names) - IMPURE | {"croniter", "tzdata"}


def imported(source: str) -> Iterator[str]:
    """Yields every dotted name that a module imports, down to the object."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def against_the_direction(path: str, source: str) -> list[str]:
    """Returns the imports of our own packages that run the wrong way."""
    room = _room(path)
    if room is None:
        return []
    allowed = _allowed(room)
    ours = [name for name in imported(source) if name.split(".")[0] in OURS]
    return [name for name in ours if not f"{name.replace('.', '/')}/".startswith(allowed)]


def of_a_handler(path: str, source: str) -> list[str]:
    """Returns the imports of `lambdas`, which only a test may import."""
    if path.startswith("tests/"):
        return []
    return [name for name in imported(source) if name.split(".")[0] == "lambdas"]


def impure(path: str, source: str) -> list[str]:
    """Returns what a pure room imports beyond the pure standard library and croniter."""
    if not path.startswith(PURE_ROOMS):
        return []
    top = {name.split(".")[0] for name in imported(source)}
    return sorted(top - PURE - {"onthedot"})


def renamed(source: str, modules: Iterable[str]) -> list[str]:
    """Returns the modules of ours that are imported under another name."""
    known = set(modules)
    return [
        f"{node.module}.{alias.name}"
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
        if alias.asname not in (None, alias.name) and f"{node.module}.{alias.name}" in known
    ]


def of_the_queue(path: str, source: str) -> list[str]:
    """Returns the imports of the queue's calls outside the modules that own messages."""
    if not path.startswith(("onthedot/", "lambdas/")) or path in MESSAGES:
        return []
    return [name for name in imported(source) if name.startswith("onthedot.store.queue")]


def unknown(text: str, modules: Iterable[str]) -> list[str]:
    """Returns the modules of ours that a text imports, in quoted code too, and
    that do not exist.
    """
    known = {f"{module}." for module in modules}
    named = _IMPORT.findall(text)
    return [name for name in named if not any(each.startswith(f"{name}.") for each in known)]


def of_ours_in_the_black_box(path: str, source: str) -> list[str]:
    """Returns the imports of our own code by the tests that are users: they know what is
    documented.
    """
    if not path.startswith("tests/blackbox/"):
        return []
    ours = [name for name in imported(source) if name.split(".")[0] in OURS]
    return [name for name in ours if not name.startswith("tests.blackbox.")]


def effectful(sources: Mapping[str, str]) -> set[str]:
    """Returns the modules of ours, by their dotted names, that reach the room `store`."""
    used = {name: set(imported(source)) for name, source in sources.items()}
    found = {name for name in used if name.startswith("onthedot.store")}
    while True:
        more = {
            name
            for name, names in used.items()
            if name not in found and any(_module(each, used) in found for each in names)
        }
        if not more:
            return found
        found |= more


def _module(name: str, known: Mapping[str, object]) -> str:
    return name if name in known else name.rpartition(".")[0]


def _room(path: str) -> str | None:
    return next((room for room in (*ROOMS, *DOORS) if path.startswith(f"{room}/")), None)


def _allowed(room: str) -> tuple[str, ...]:
    above = DOORS[room] if room in DOORS else ROOMS[: ROOMS.index(room)]
    return tuple(f"{each}/" for each in (*PURE_ROOMS, *above, room))

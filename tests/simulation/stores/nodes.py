"""What an expression or a statement says, before it is compiled."""

from __future__ import annotations

from dataclasses import dataclass

from tests.simulation.stores.values import Value

Step = str | int


@dataclass(frozen=True, slots=True)
class Path:
    steps: tuple[Step, ...]

    @property
    def root(self) -> str:
        return str(self.steps[0])

    def __str__(self) -> str:
        return "".join(
            f"[{step}]" if isinstance(step, int) else ("." if place else "") + step
            for place, step in enumerate(self.steps)
        )


@dataclass(frozen=True, slots=True)
class Slot:
    """A value given with the call: `:name` of an expression, the n-th `?` of a statement."""

    key: str | int


@dataclass(frozen=True, slots=True, eq=False)
class Literal:
    value: Value


@dataclass(frozen=True, slots=True, eq=False)
class Record:
    """`{'name': term, ...}` of an INSERT."""

    fields: tuple[tuple[str, Term], ...]


@dataclass(frozen=True, slots=True, eq=False)
class Listing:
    elements: tuple[Term, ...]


@dataclass(frozen=True, slots=True)
class Call:
    name: str
    arguments: tuple[Term, ...]


@dataclass(frozen=True, slots=True)
class Sum:
    sign: int
    left: Term
    right: Term


Term = Path | Slot | Literal | Record | Listing | Call | Sum


@dataclass(frozen=True, slots=True)
class Compare:
    operator: str
    left: Term
    right: Term


@dataclass(frozen=True, slots=True)
class Between:
    term: Term
    low: Term
    high: Term


@dataclass(frozen=True, slots=True)
class Among:
    term: Term
    options: tuple[Term, ...]


@dataclass(frozen=True, slots=True)
class Every:
    parts: tuple[Condition, ...]


@dataclass(frozen=True, slots=True)
class Some:
    parts: tuple[Condition, ...]


@dataclass(frozen=True, slots=True)
class Negation:
    part: Condition


Condition = Compare | Between | Among | Every | Some | Negation | Call


@dataclass(frozen=True, slots=True)
class Assign:
    path: Path
    term: Term


@dataclass(frozen=True, slots=True)
class Remove:
    path: Path


@dataclass(frozen=True, slots=True)
class Add:
    path: Path
    term: Term


@dataclass(frozen=True, slots=True)
class Subtract:
    """DELETE of an UpdateExpression: takes elements out of a set."""

    path: Path
    term: Term


Action = Assign | Remove | Add | Subtract


def conjuncts(condition: Condition) -> tuple[Condition, ...]:
    if isinstance(condition, Every):
        return tuple(part for whole in condition.parts for part in conjuncts(whole))
    return (condition,)

"""Reads the conditions, terms and paths that expressions and PartiQL statements share."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import NamedTuple, TypeVar

from tests.simulation.stores.errors import Invalid
from tests.simulation.stores.nodes import (
    Among,
    Between,
    Call,
    Compare,
    Condition,
    Every,
    Negation,
    Path,
    Slot,
    Some,
    Step,
    Term,
)
from tests.simulation.stores.reserved_words import RESERVED

Found = TypeVar("Found")


class Token(NamedTuple):
    kind: str
    text: str


_TOKENS = re.compile(
    r"""\s*(?:
      (?P<number>-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?(?![A-Za-z_]))
    | (?P<word>[A-Za-z_][A-Za-z0-9_]*)
    | (?P<alias>\#[A-Za-z0-9_]+)
    | (?P<slot>:[A-Za-z0-9_]+)
    | (?P<quoted>"(?:[^"]|"")*")
    | (?P<string>'(?:[^']|'')*')
    | (?P<sign><<|>>|<>|<=|>=|!=|[=<>()\[\]{},.+\-?*:])
    )""",
    re.VERBOSE,
)
_COMPARISONS = frozenset({"=", "<>", "<", "<=", ">", ">="})
END = Token("end", "<EOF>")


def tokens_of(text: str) -> list[Token]:
    found: list[Token] = []
    place, end = 0, len(text.rstrip())
    while place < end:
        match = _TOKENS.match(text, place)
        if match is None:
            raise Invalid(
                f"Syntax error; token: {text[place:].split(maxsplit=1)[0]!r}, near: {text!r}"
            )
        found.append(Token(match.lastgroup or "", match[match.lastgroup or 0]))
        place = match.end()
    return found


class Reader:
    """A recursive-descent reader; the two languages differ in the methods that say so."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.tokens = tokens_of(text)
        self.place = 0
        self.slots: set[str | int] = set()

    def peek(self, ahead: int = 0) -> Token:
        place = self.place + ahead
        return self.tokens[place] if place < len(self.tokens) else END

    def next(self) -> Token:
        token = self.peek()
        self.place += 1
        return token

    def says(self, *words: str) -> bool:
        return all(
            self.peek(ahead).kind == "word" and self.peek(ahead).text.upper() == word
            for ahead, word in enumerate(words)
        )

    def take(self, *words: str) -> bool:
        if self.says(*words):
            self.place += len(words)
            return True
        return False

    def take_sign(self, sign: str) -> bool:
        if self.peek() == Token("sign", sign):
            self.place += 1
            return True
        return False

    def need_sign(self, sign: str) -> None:
        if not self.take_sign(sign):
            self.fail()

    def need(self, *words: str) -> None:
        if not self.take(*words):
            self.fail()

    def need_end(self) -> None:
        if self.peek() is not END:
            self.fail()

    def fail(self, message: str = "") -> None:
        token = self.peek().text
        raise Invalid(message or f"Syntax error; token: {token!r}, near: {self.text!r}")

    def comma_list(self, one: Callable[[], Found]) -> tuple[Found, ...]:
        found = [one()]
        while self.take_sign(","):
            found.append(one())
        return tuple(found)

    def condition(self) -> Condition:
        parts = [self._conjunction()]
        while self.take("OR"):
            parts.append(self._conjunction())
        return parts[0] if len(parts) == 1 else Some(tuple(parts))

    def _conjunction(self) -> Condition:
        parts = [self._negation()]
        while self.take("AND"):
            parts.append(self._negation())
        return parts[0] if len(parts) == 1 else Every(tuple(parts))

    def _negation(self) -> Condition:
        if self.take("NOT"):
            return Negation(self._negation())
        if self.take_sign("("):
            inner = self.condition()
            self.need_sign(")")
            return inner
        return self._predicate()

    def _predicate(self) -> Condition:
        left = self.term()
        token = self.peek()
        if token.kind == "sign" and token.text in _COMPARISONS:
            self.place += 1
            return Compare(token.text, left, self.term())
        if self.take("BETWEEN"):
            low = self.term()
            self.need("AND")
            return Between(left, low, self.term())
        if self.take("IN"):
            return Among(left, self.options())
        return self.bare_predicate(left)

    def options(self) -> tuple[Term, ...]:
        self.need_sign("(")
        options = self.comma_list(self.term)
        self.need_sign(")")
        return options

    def bare_predicate(self, left: Term) -> Condition:
        if isinstance(left, Call) and left.name != "size":
            return left
        self.fail()
        raise AssertionError

    def term(self) -> Term:
        token = self.peek()
        if token.kind == "word" and self.peek(1) == Token("sign", "("):
            return self._call()
        return self.atom()

    def atom(self) -> Term:
        raise NotImplementedError

    def slot(self, key: str | int) -> Slot:
        self.slots.add(key)
        return Slot(key)

    def _call(self) -> Call:
        name = self.function_name(self.next().text)
        self.need_sign("(")
        arguments = self.comma_list(self.term)
        self.need_sign(")")
        return Call(name, arguments)

    def function_name(self, word: str) -> str:
        return word

    def path(self) -> Path:
        steps: list[Step] = [self.name(root=True)]
        while True:
            if self.take_sign("."):
                steps.append(self.name(root=False))
            elif self.take_sign("["):
                token = self.next()
                if token.kind != "number" or not token.text.isdigit():
                    self.fail()
                steps.append(int(token.text))
                self.need_sign("]")
            else:
                return Path(tuple(steps))

    def name(self, *, root: bool) -> str:
        raise NotImplementedError


def check_reserved(word: str) -> None:
    if word.lower() in RESERVED:
        raise Invalid(f"Attribute name is a reserved keyword; reserved keyword: {word}")

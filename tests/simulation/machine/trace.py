"""What happened, kept as tuples; made readable only when somebody wants to read it."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

from botocore.exceptions import ClientError

if TYPE_CHECKING:
    from tests.simulation.machine.process import Process

Answer = dict[str, Any]
Entry = tuple[
    int, "Process | None", str, Answer, Any, str
]  # at, who, what, request, outcome, fault

_WORDS_MAX = 4
_INVALID = frozenset({"ValidationException", "ValidationError", "ResourceNotFound"})


@dataclass(frozen=True, slots=True)
class Effect:
    """One step of a history, as an aim names it."""

    process: str
    operation: str
    nth: int
    place: int  # in the trace


def effects(entries: list[Entry]) -> list[Effect]:
    """Returns every effect of a process in the order they took place."""
    seen: Counter[tuple[str, str]] = Counter()
    found = []
    for place, (_, process, operation, request, _, _) in enumerate(entries):
        if process is None or request.get("note"):
            continue
        key = (process.name, operation)
        found.append(Effect(process.name, operation, seen[key], place))
        seen[key] += 1
    return found


def invalid(entries: list[Entry]) -> list[tuple[Entry, ClientError]]:
    """Calls, and statements inside calls, that AWS would call invalid: bugs."""
    found = []
    for entry in entries:
        outcome = entry[4]
        if isinstance(outcome, ClientError):
            if outcome.response["Error"]["Code"] in _INVALID:
                found.append((entry, outcome))
        elif isinstance(outcome, dict) and isinstance(outcome.get("Responses"), list):
            for one in outcome["Responses"]:
                error = one.get("Error", {})
                if error.get("Code") in _INVALID:
                    found.append((entry, ClientError({"Error": error}, entry[2])))
    return found


def story(entries: list[Entry], start: datetime) -> str:
    return "\n".join(_line(entry, start) for entry in entries)


def _line(entry: Entry, start: datetime) -> str:
    at, process, operation, request, outcome, fault = entry
    when = (start + timedelta(microseconds=at)).astimezone(UTC).strftime("%H:%M:%S.%f")[:-3]
    who = "world" if process is None else process.name
    if "note" in request:
        return f"{when} {who:<14} {operation:<24} {request['note']}"
    flag = f"   <<< {fault}" if fault else ""
    return f"{when} {who:<14} {operation:<24} {_request(request)} -> {_outcome(outcome)}{flag}"


def _request(request: Answer) -> str:
    if "Statements" in request:
        return _many([_statement(one) for one in request["Statements"]])
    if "TransactItems" in request:
        return _many([_member(*next(iter(one.items()))) for one in request["TransactItems"]])
    if "RequestItems" in request:
        keys = [
            f"{table}{_values(key)}"
            for table, wanted in request["RequestItems"].items()
            for key in wanted["Keys"]
        ]
        return _many(keys)
    if "TableName" in request:
        return _item_request(request)
    if "QueueUrl" in request:
        return _queue_request(request)
    return " ".join(f"{name}={value}" for name, value in request.items())


def _many(words: list[str]) -> str:
    more = f" … {len(words) - _WORDS_MAX} more" if len(words) > _WORDS_MAX else ""
    return f"[{'; '.join(words[:_WORDS_MAX])}{more}]"


def _statement(statement: Answer) -> str:
    text = str(statement["Statement"])
    parameters = [plain(value) for value in statement.get("Parameters", ())]
    verb, _, rest = text.partition(" ")
    if verb.upper() == "INSERT":
        return f"INSERT {rest.split()[1]} {parameters}"
    for parameter in parameters:
        rest = rest.replace("?", repr(parameter), 1)
    return f"{verb} {rest}"


def _member(action: str, member: Answer) -> str:
    return f"{action} {_item_request(member)}"


def _item_request(request: Answer) -> str:
    where = request["TableName"] + (f".{request['IndexName']}" if "IndexName" in request else "")
    key = request.get("Key") or request.get("Item") or {}
    texts = [
        str(request[name])
        for name in ("KeyConditionExpression", "UpdateExpression", "ConditionExpression")
        if name in request
    ]
    values = request.get("ExpressionAttributeValues") or {}
    given = {name: plain(value) for name, value in values.items()}
    return f"{where}{_values(key)} {' IF '.join(texts)} {given or ''}".rstrip()


def _queue_request(request: Answer) -> str:
    queue = str(request["QueueUrl"]).rsplit("/", 1)[-1]
    if "Entries" in request:
        return f"{queue} " + _many([_entry(entry) for entry in request["Entries"]])
    return f"{queue} {_entry(request)}"


def _entry(entry: Answer) -> str:
    shown = {name: value for name, value in entry.items() if name not in {"Id", "QueueUrl"}}
    return " ".join(f"{name}={value}" for name, value in shown.items())


def _values(item: Answer) -> str:
    return "(" + ", ".join(f"{plain(value)}" for value in item.values()) + ")"


def plain(value: Answer) -> Any:
    """Returns a typed value without its type, for reading."""
    ((kind, content),) = value.items()
    if kind == "N":
        return float(content) if "." in content else int(content)
    if kind == "M":
        return {name: plain(one) for name, one in content.items()}
    if kind == "L":
        return [plain(one) for one in content]
    return None if kind == "NULL" else content


def _outcome(outcome: Any) -> str:
    if isinstance(outcome, ClientError):
        return str(outcome.response["Error"]["Code"])
    if isinstance(outcome, BaseException):
        return type(outcome).__name__
    if not isinstance(outcome, dict):
        return "ok" if outcome is None else str(outcome)
    parts = []
    if "Responses" in outcome and isinstance(outcome["Responses"], list):
        codes = [one.get("Error", {}).get("Code", "ok") for one in outcome["Responses"]]
        parts.append(", ".join(f"{count} {code}" for code, count in Counter(codes).items()))
    if "Items" in outcome:
        parts.append(f"{len(outcome['Items'])} items")
    if "Item" in outcome:
        parts.append(str({name: plain(value) for name, value in outcome["Item"].items()}))
    parts.extend(
        f"{len(outcome[name])} {name.lower()}"
        for name in ("Successful", "Failed", "Messages", "UnprocessedKeys")
        if outcome.get(name)
    )
    return "; ".join(parts) or "ok"

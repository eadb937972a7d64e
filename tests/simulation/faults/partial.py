"""Batches of which a part is refused, or done apart: how a request is divided, answers joined."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tests.simulation.stores.sqs import failure

Answer = dict[str, Any]
Call = Callable[..., Answer]


def members(operation: str, request: Answer) -> list[tuple[str, Any]]:
    """Each with where it belongs: the table of a key, "" otherwise."""
    if operation == "batch_get_item":
        return [
            (table, key)
            for table, wanted in request["RequestItems"].items()
            for key in wanted["Keys"]
        ]
    return [("", one) for one in request[_list_name(operation)]]


def _list_name(operation: str) -> str:
    return "Statements" if operation == "batch_execute_statement" else "Entries"


def only(operation: str, request: Answer, places: set[int]) -> Answer:
    """Returns the request with the members at these places and no others."""
    chosen = [one for place, one in enumerate(members(operation, request)) if place in places]
    if operation != "batch_get_item":
        return {**request, _list_name(operation): [one for _, one in chosen]}
    tables: Answer = {}
    for table, key in chosen:
        whole = request["RequestItems"][table]
        tables.setdefault(table, {**whole, "Keys": []})["Keys"].append(key)
    return {**request, "RequestItems": tables}


def refusing(operation: str, call: Call, request: Answer, refused: set[int]) -> Answer:
    """Carries out all but the refused, which the answer names as AWS names them."""
    everything = set(range(len(members(operation, request))))
    left = everything - refused
    answer = call(**only(operation, request, left)) if left else _nothing(operation)
    return joined(
        operation, request, (left, answer), (refused, _refusal(operation, request, refused))
    )


def _nothing(operation: str) -> Answer:
    if operation == "batch_get_item":
        return {"Responses": {}, "UnprocessedKeys": {}}
    if operation == "batch_execute_statement":
        return {"Responses": []}
    return {"Successful": []}


def _refusal(operation: str, request: Answer, refused: set[int]) -> Answer:
    if operation == "batch_get_item":
        part = only(operation, request, refused)
        return {"Responses": {}, "UnprocessedKeys": part["RequestItems"]}
    if operation == "batch_execute_statement":
        error = {"Code": "ThrottlingError", "Message": "Request is throttled."}
        return {"Responses": [{"Error": error} for _ in refused]}
    chosen = only(operation, request, refused)["Entries"]
    return {
        "Successful": [],
        "Failed": [
            failure(entry["Id"], "InternalError", "We encountered an internal error.", sender=False)
            for entry in chosen
        ],
    }


def joined(operation: str, request: Answer, *parts: tuple[set[int], Answer]) -> Answer:
    """Returns one answer to the whole request from answers to its parts, in the request's order."""
    whole: Answer = {}
    for _, answer in parts:
        whole = {**answer, **whole}
    if operation == "batch_execute_statement":
        placed: dict[int, Answer] = {}
        for places, answer in parts:
            placed.update(zip(sorted(places), answer["Responses"], strict=True))
        whole["Responses"] = [placed[place] for place in sorted(placed)]
    elif operation == "batch_get_item":
        responses: Answer = {table: [] for table in request["RequestItems"]}
        unprocessed: Answer = {}
        for _, answer in parts:
            for table, items in answer["Responses"].items():
                responses[table].extend(items)
            unprocessed.update(answer["UnprocessedKeys"])
        whole.update(Responses=responses, UnprocessedKeys=unprocessed)
    else:
        failed = [one for _, answer in parts for one in answer.get("Failed", ())]
        whole["Successful"] = [one for _, answer in parts for one in answer["Successful"]]
        whole.pop("Failed", None)
        if failed:
            whole["Failed"] = failed
    _add_capacity(whole, parts)
    return whole


def _add_capacity(whole: Answer, parts: tuple[tuple[set[int], Answer], ...]) -> None:
    spent = [one for _, answer in parts for one in answer.get("ConsumedCapacity", ())]
    if spent:
        whole["ConsumedCapacity"] = spent

"""What one module of the product knows, and no other: how a write is refused, keys, the codec."""

import ast
import re

REFUSALS = "onthedot/store/conditional_writer.py"
KEYS = "onthedot/records/keys.py"
CODEC = "onthedot/records/attributes.py"

_REFUSAL = re.compile(r"ConditionalCheckFailed|DuplicateItem|PutError|UpdateError")
_KEYS = ({"task_id", "scheduled_for"}, {"task_id", "part"})
# DynamoDB's names of types.
_TYPES = {"S", "N", "B", "BOOL", "NULL", "M", "L", "SS"}


def refusals(path: str, source: str) -> list[str]:
    """Finds the names by which the store refuses a write, outside the module that reads them."""
    return _REFUSAL.findall(source) if _guarded(path, REFUSALS) else []


def keys(path: str, source: str) -> list[str]:
    """Finds keys of the two large tables that are spelled out instead of made."""
    if not _guarded(path, KEYS):
        return []
    return [f"line {node.lineno}" for node in _dicts(source) if _names(node) in _KEYS]


def attributes(path: str, source: str) -> list[str]:
    """Finds values that are typed for DynamoDB, or read from it, beside the codec."""
    if not _guarded(path, CODEC):
        return []
    typed = [node for node in _dicts(source) if len(node.keys) == 1 and _names(node) <= _TYPES]
    read = [
        node
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.Subscript)
        and isinstance(node.slice, ast.Constant)
        and node.slice.value in _TYPES
    ]
    return [f"line {node.lineno}" for node in (*typed, *read)]


def _guarded(path: str, owner: str) -> bool:
    return path.startswith(("onthedot/", "lambdas/")) and path != owner


def _dicts(source: str) -> list[ast.Dict]:
    return [node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Dict)]


def _names(node: ast.Dict) -> set[object]:
    return {key.value if isinstance(key, ast.Constant) else None for key in node.keys}

"""Lists of a schedule's fields: there is one, in `records/tasks/task_fields.py`."""

import ast
from collections.abc import Collection

# So many names in one place are no chance: it is a list of fields.
_MANY = 6
OWNERS = {
    "onthedot/records/tasks/task_fields.py": "the list itself",
    "onthedot/records/tasks/task_spec.py": "what is stored for the worker, with its own defaults",
    "onthedot/records/schema.py": "what a deployed index carries, which cannot change",
    "onthedot/cli/batch.py": "the words of a line of --batch, which are few by intention",
}


def again(path: str, source: str, fields: Collection[str]) -> list[str]:
    """The fields of each tuple, list, set or class that lists them once more."""
    if not path.startswith("onthedot/") or path in OWNERS:
        return []
    found = (_names(node).intersection(fields) for node in ast.walk(ast.parse(source)))
    return [" ".join(sorted(each)) for each in found if len(each) >= _MANY]


def _names(node: ast.AST) -> set[str]:
    if isinstance(node, ast.Tuple | ast.List | ast.Set):
        return {str(each.value) for each in node.elts if isinstance(each, ast.Constant)}
    if isinstance(node, ast.ClassDef):
        return {
            each.target.id
            for each in node.body
            if isinstance(each, ast.AnnAssign) and isinstance(each.target, ast.Name)
        }
    return set()

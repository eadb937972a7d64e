"""Writes the OpenAPI document and the pages: `python -m onthedot.api.replies.generated_files`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from onthedot.api.admin.api_documents import OPENAPI
from onthedot.api.replies import field_page
from onthedot.api.replies.openapi import document
from onthedot.api.views.problem_pages import page
from onthedot.records.problems import KINDS, slug

_DOCS = Path(__file__).parents[3] / "docs"
FIELDS, PAGES = _DOCS / "fields.md", _DOCS / "problems"
# The depth down to which each member has its own line: routes and shapes.
_LINES_DEEP = 3


def files() -> dict[Path, str]:
    """Returns every generated file with its content."""
    openapi = _lines(document(), _LINES_DEEP)
    made = {OPENAPI: f"{openapi}\n", FIELDS: field_page.page()}
    return made | {PAGES / f"{slug(code)}.md": page(code) for code in KINDS}


def _lines(value: Any, deep: int) -> str:  # noqa: ANN401 any JSON
    """Writes JSON without blanks, and a line for each member down to a depth."""
    if not deep or not isinstance(value, dict) or not value:
        return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    members = [f"{json.dumps(name)}:{_lines(inner, deep - 1)}" for name, inner in value.items()]
    return "{\n" + ",\n".join(members) + "\n}"


def main() -> None:
    PAGES.mkdir(parents=True, exist_ok=True)
    for path, text in files().items():
        path.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()

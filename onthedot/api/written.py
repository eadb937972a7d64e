"""`python -m onthedot.api.written`: writes what is generated: the OpenAPI document, the pages."""

from __future__ import annotations

import json
from pathlib import Path

from onthedot.api import field_page
from onthedot.api.documents import OPENAPI
from onthedot.api.openapi import document
from onthedot.core.problem_pages import page
from onthedot.core.problems import KINDS, slug

_DOCS = Path(__file__).parents[2] / "docs"
FIELDS, PAGES = _DOCS / "fields.md", _DOCS / "problems"


def files() -> dict[Path, str]:
    """Give every generated file and what belongs in it."""
    openapi = json.dumps(document(), indent=1, ensure_ascii=False) + "\n"
    made = {OPENAPI: openapi, FIELDS: field_page.page()}
    return made | {PAGES / f"{slug(code)}.md": page(code) for code in KINDS}


def main() -> None:
    """Write them all."""
    PAGES.mkdir(parents=True, exist_ok=True)
    for path, text in files().items():
        path.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()

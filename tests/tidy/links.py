"""Links between the pages: each leads to a file of the project, and to a heading of it."""

import re
from collections.abc import Callable
from posixpath import dirname, join, normpath

_CODE = re.compile(r"^```.*?^```|`[^`\n]*`", re.MULTILINE | re.DOTALL)
_LINK = re.compile(r"\]\(([^)\s]+)\)")
_ELSEWHERE = re.compile(r"[a-z]+:")
_HEADING = re.compile(r"^#+ +(.*)$", re.MULTILINE)
_FENCED = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)


def broken(name: str, content: str, there: Callable[[str], str | None]) -> list[str]:
    """Gives the links that lead nowhere; `there` gives a path's text, or None without such a file.

    A link to a folder leads somewhere: `there` answers an empty text for it.
    """
    links = [link for link in _LINK.findall(_CODE.sub("", content)) if not _ELSEWHERE.match(link)]
    return [link for link in links if not _leads(name, link, there)]


def anchors(content: str) -> list[str]:
    """Gives what the headings of a page are called in a link."""
    return [_anchor(heading) for heading in _HEADING.findall(_FENCED.sub("", content))]


def _leads(name: str, link: str, there: Callable[[str], str | None]) -> bool:
    path, _, anchor = link.partition("#")
    found = there(normpath(join(dirname(name), path)) if path else name)
    return found is not None and (not anchor or anchor in anchors(found))


def _anchor(heading: str) -> str:
    """Returns spell a heading as the forges do: small letters, hyphens for blanks, no other
    marks.
    """
    shown = _LINK.sub("]", heading)
    return re.sub(r"[^\w\- ]", "", shown).strip().lower().replace(" ", "-")

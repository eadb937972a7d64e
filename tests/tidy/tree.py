"""The project's own files, as git sees them: tracked, or new and not ignored."""

import subprocess
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


@cache
def files() -> tuple[str, ...]:
    """Returns every file's path from the project's folder."""
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z"]
    listed = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True)
    names = sorted(set(listed.stdout.split("\0")) - {""})
    return tuple(name for name in names if (ROOT / name).is_file())


def modules() -> tuple[str, ...]:
    """Returns the Python files among them."""
    return tuple(name for name in files() if name.endswith(".py"))


def pages() -> tuple[str, ...]:
    """Returns the pages that people read."""
    return tuple(name for name in files() if name.endswith(".md"))


def sizes() -> dict[str, int]:
    """Returns how many bytes each file has."""
    return {name: (ROOT / name).stat().st_size for name in files()}


def there(path: str) -> str | None:
    """Returns one file's content, nothing for a folder, and None where there is neither."""
    if path in files():
        return text(path)
    return "" if any(name.startswith(f"{path}/") for name in files()) else None


@cache
def text(name: str) -> str:
    """Returns one file's content; what is not text counts as empty."""
    try:
        return (ROOT / name).read_text(encoding="utf-8")
    except UnicodeDecodeError:
        return ""

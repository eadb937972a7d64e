"""The changelog: releases newest first, each with the sections that Keep a Changelog knows."""

from __future__ import annotations

import re
import tomllib

from tests.tidy import tree

SECTIONS = ["Added", "Changed", "Deprecated", "Removed", "Fixed", "Security"]
_RELEASE = re.compile(r"(\d+)\.(\d+)\.(\d+) - \d{4}-\d{2}-\d{2}")


def faults(changelog: str, version: str) -> list[str]:
    """Names what is not in its place; `version` is that of the package."""
    releases = re.findall(r"^## (.+)$", changelog, re.MULTILINE)
    found = [] if releases[:1] == ["Unreleased"] else ["Unreleased comes first"]
    numbers = [_RELEASE.fullmatch(each) for each in releases[1:]]
    found += ["a heading is no release"] if None in numbers else []
    versions = [tuple(map(int, each.groups())) for each in numbers if each]
    if versions != sorted(versions, reverse=True):
        found.append("newest first")
    if versions and versions[0] != tuple(map(int, version.split("."))):
        found.append("the package has another version")
    for part in re.split(r"^## ", changelog, flags=re.MULTILINE)[1:]:
        named = re.findall(r"^### (.+)$", part, re.MULTILINE)
        if named != [each for each in SECTIONS if each in named]:
            found.append(f"sections: {named}")
    return found


def test_the_changelog_has_its_form() -> None:
    version = tomllib.loads(tree.text("pyproject.toml"))["project"]["version"]

    assert faults(tree.text("CHANGELOG.md"), version) == []


def test_a_release_and_what_comes_after_it_pass() -> None:
    text = (
        "## Unreleased\n\n## 0.2.0 - 2027-01-02\n\n### Added\n### Fixed\n\n## 0.1.9 - 2026-12-01\n"
    )

    assert faults(text, "0.2.0") == []


def test_what_is_out_of_its_place_is_found() -> None:
    assert faults("## 0.1.0 - 2026-12-01\n", "0.1.0") == ["Unreleased comes first"]
    assert faults("## Unreleased\n## 0.1.0\n", "0.1.0") == ["a heading is no release"]
    assert faults("## Unreleased\n## 0.1.0 - 2026-12-01\n", "0.2.0") == [
        "the package has another version"
    ]
    assert faults("## Unreleased\n## 0.1.9 - 2026-12-01\n## 0.1.10 - 2026-12-01\n", "0.1.9") == [
        "newest first"
    ]
    assert faults("## Unreleased\n### Fixed\n### Added\n", "0.1.0") == [
        "sections: ['Fixed', 'Added']"
    ]
    assert faults("## Unreleased\n### News\n", "0.1.0") == ["sections: ['News']"]

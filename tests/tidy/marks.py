"""Traces that do not belong in a finished file: promises to come back, and package registries."""

import re

# Built from halves, so that these lines do not find themselves.
UNFINISHED = re.compile(r"\b({})\b".format("|".join(("TO" + "DO", "FIX" + "ME", "XX" + "X"))))
REGISTRIES = re.compile(r"(npmjs|yarnpkg|pypi|pythonhosted)\.(com|io|org)", re.IGNORECASE)


def unfinished(content: str) -> list[str]:
    """Returns the marks that promise to come back."""
    return [match.group() for match in UNFINISHED.finditer(content)]


def registries(content: str) -> list[str]:
    """Returns the package registries named; where packages come from is the machine's own
    setting.
    """
    return [match.group() for match in REGISTRIES.finditer(content)]

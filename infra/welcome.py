"""What `make deploy` ends with: where the API is, and the first admin key, shown this once.

The key is made with the deployer's own credentials: nobody can ask the API for one before.
"""

import sys

from infra.outputs import become
from onthedot.flows import keys


def main() -> None:
    """Where there is a key already, make none."""
    outputs = become()
    key = keys.make_first()
    _say(f"\nThe API: {outputs['Url']}")
    if key is None:
        _say("There is an admin key already: with it, more are made.")
    else:
        _say(f"The first admin key, shown this once: {key}")
    _say("What to do next: docs/deploying.md")


def _say(text: str) -> None:
    sys.stdout.write(f"{text}\n")


if __name__ == "__main__":
    main()

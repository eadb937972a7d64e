"""What `make deploy` ends with: where the API is, and the first admin key, shown this once.

The key is made with the deployer's own credentials: nobody can ask the API for one before.
"""

import json
import os
import sys
from pathlib import Path

from onthedot.flows import keys


def main(outputs_file: str) -> None:
    """Read what the deployment said; where there is a key already, make none."""
    outputs = json.loads(Path(outputs_file).read_text())["OnTheDot"]
    os.environ["ACCESS_TABLE"] = outputs["AccessTable"]
    os.environ.setdefault("AWS_DEFAULT_REGION", outputs["AlarmTopic"].split(":")[3])
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
    main(sys.argv[1])

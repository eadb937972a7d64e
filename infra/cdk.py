"""Runs the CDK's command line with an output folder of its own for each command.

The CDK trusts an asset by its name, so no command may find what another one left unfinished.
"""

import argparse
import shutil
import subprocess
import sys
from pathlib import Path

from infra.bundle import ROOT
from onthedot.local import whole_folders

COMMAND = ROOT / "node_modules/.bin/cdk"
OUTPUTS = ROOT / ".cdk" / "outputs"


def main(arguments: list[str]) -> int:
    """Runs `cdk COMMAND --output FOLDER`. The folder of a synth is kept once it is complete."""
    parser = argparse.ArgumentParser(add_help=False)
    parser.add_argument("command")
    parser.add_argument("--output", type=Path, default=ROOT / "cdk.out")
    asked, options = parser.parse_known_args(arguments)
    output = whole_folders.begun(OUTPUTS)
    try:
        command = [COMMAND, asked.command, "--output", output, *options]
        done = subprocess.run(command, check=False)  # noqa: S603 the project's own CDK
        if done.returncode == 0 and asked.command == "synth":
            output.chmod(0o755)
            whole_folders.put(output, asked.output)
    except KeyboardInterrupt:
        return 130
    finally:
        shutil.rmtree(output, ignore_errors=True)
    return done.returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

"""How good the suite is: deliberate bugs, of which it has to catch every one.

`python -m benchmarks.mutants [NAME…]`: each bug of mutants.yaml is put into a copy of the project,
and the suite is run on it until its first failure. Exits 1 if a bug was not caught.
"""

import argparse
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path

import yaml

_ROOT = Path(__file__).parent.parent
_MUTANTS = Path(__file__).parent / "mutants.yaml"
_LEFT_OUT = (".git", ".venv", ".*_cache", "__pycache__", ".hypothesis")
_SUITE = ("-m", "pytest", "-x", "-q", "-m", "not long", "-n", "2", "-p", "no:cacheprovider")


def main() -> int:
    """Try the mutants; return 1 if one survived."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.mutants")
    parser.add_argument("names", nargs="*", help="parts of the names of those to try (all)")
    wanted = parser.parse_args().names
    survivors = 0
    for mutant in yaml.safe_load(_MUTANTS.read_text(encoding="utf-8")):
        if not wanted or any(name in mutant["name"] for name in wanted):
            catcher = _try(mutant)
            survivors += not catcher
            print(
                f"{'caught' if catcher else 'SURVIVED':<9} {mutant['name']}  {catcher}", flush=True
            )
    return int(survivors > 0)


def _try(mutant: Mapping[str, str]) -> str:
    """Return the first test that fails with a bug in the code; empty if none does."""
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / "project"
        shutil.copytree(_ROOT, copy, ignore=shutil.ignore_patterns(*_LEFT_OUT))
        source = copy / mutant["file"]
        code = source.read_text(encoding="utf-8")
        if code.count(mutant["old"].rstrip("\n")) != 1:
            raise SystemExit(f"{mutant['name']}: {mutant['file']} does not have it once")
        mutated = code.replace(mutant["old"].rstrip("\n"), mutant["new"].rstrip("\n"))
        source.write_text(mutated, encoding="utf-8")
        run = subprocess.run(
            [sys.executable, *_SUITE], cwd=copy, capture_output=True, text=True, check=False
        )
    failures = [line for line in run.stdout.splitlines() if line.startswith(("FAILED", "ERROR"))]
    return failures[0].split(" - ")[0] if failures else ""


if __name__ == "__main__":
    sys.exit(main())

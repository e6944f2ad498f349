"""The deliberate bugs are still bugs of this code."""

from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parent.parent
MUTANTS = yaml.safe_load((ROOT / "benchmarks" / "mutants.yaml").read_text(encoding="utf-8"))


@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda mutant: mutant["name"])
def test_a_deliberate_bug_can_be_put_where_it_belongs(mutant):
    """
    The code a mutant is made from stands in its file, once.
    """
    code = (ROOT / mutant["file"]).read_text(encoding="utf-8")
    assert (1, True) == (code.count(mutant["old"]), mutant["old"] != mutant["new"])

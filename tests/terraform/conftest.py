"""The real Terraform at work on copies of the project."""

import os
import shutil
from contextlib import ExitStack
from pathlib import Path

import pytest

from local.deployment import Deployment

HERE = Path(__file__).parent


def pytest_collection_modifyitems(items):
    """Without Terraform there is nothing to see here; CI does not put up with that."""
    if shutil.which("terraform") or os.environ.get("CI"):
        return
    missing = pytest.mark.skip(reason="there is no terraform on this machine: 1.11 or later")
    for item in items:
        if HERE in item.path.parents:
            item.add_marker(missing)


@pytest.fixture
def new_deployment(tmp_path):
    """A maker of initialised deployments that end with the test."""
    with ExitStack() as deployments:

        def make(**answers):
            deployment = Deployment(tmp_path / "checkout", **answers)
            return deployments.enter_context(deployment).init()

        yield make


@pytest.fixture(scope="session")
def applied(tmp_path_factory):
    """A deployment that was applied once. To look at, not to change."""
    with Deployment(tmp_path_factory.mktemp("applied") / "checkout") as deployment:
        yield deployment.init().apply()


@pytest.fixture
def deployment(applied, tmp_path):
    """A deployment that was applied once, to do with as one likes."""
    with Deployment(tmp_path / "checkout") as another:
        yield another.take_over(applied)

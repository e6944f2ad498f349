"""A deployment on one machine: a copy of the project, the real Terraform, a cloud of our own."""

import json
import os
import shutil
import subprocess
from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Any, Self

from local.google_provider import google
from local.small_providers import archive, random, time
from local.terraform_plugin import Plugin, reattached

ROOT = Path(__file__).parent.parent
_AT_ONCE = "-parallelism=50"
"""There is nothing to be gentle with; ten at once, as by default, would only take longer."""
_COPIED = ("assistant", "handlers", "main.py", "memory", "requirements.txt", "services")
_LEFT = shutil.ignore_patterns(
    "__pycache__", ".terraform*", "*.tfstate*", "terraform.tfvars", "*.auto.tfvars", "backend.tf"
)

PROJECT = "demo-family"
CHANNEL_SECRET = "0123456789abcdef0123456789abcdef"
GEMINI_KEY = "not-a-key-of-anybody-0123456789"
ANSWERS: Mapping[str, Any] = {
    "project_id": PROJECT,
    "line_channel_id": "1234567890",
    "line_channel_secret": CHANNEL_SECRET,
    "model_service": "gemini",
    "gemini_api_key": GEMINI_KEY,
}
"""The five answers a deployment takes, at most."""


class Deployment:
    """A project of Google Cloud with nothing in it yet, from `with` to its end.

    The configuration is the project's own, in a copy that may be edited; the commands are the real
    ones. Only the providers are others, so that `init` has nothing to download.
    """

    def __init__(self, folder: Path, **answers: Any) -> None:
        """Copy the project into a folder.

        Args:
            folder: Where to; it is made.
            answers: Values of variables, beside those of `ANSWERS` or in their place.
        """
        self.folder = folder
        self.terraform = folder / "terraform"
        self.answers = {**ANSWERS, **answers}
        self.google = google()
        self._providers = (self.google, archive(self.terraform), random(), time())
        self.environment: dict[str, str] = {}
        self._stack = ExitStack()
        for name in (*_COPIED, "terraform"):
            _copy(ROOT / name, folder / name)

    def __enter__(self) -> Self:
        plugins = [self._stack.enter_context(Plugin(provider)) for provider in self._providers]
        ours = {name: value for name, value in os.environ.items() if not name.startswith("TF_")}
        self.environment = ours | reattached(plugins) | {"TF_INPUT": "0"}
        return self

    def __exit__(self, *exception: object) -> None:
        self._stack.close()

    def run(self, *arguments: str, **answers: Any) -> "subprocess.CompletedProcess[str]":
        """Run a command of Terraform; return how it ended."""
        told = {
            f"TF_VAR_{name}": value if isinstance(value, str) else json.dumps(value)
            for name, value in {**self.answers, **answers}.items()
        }
        return subprocess.run(
            ["terraform", *arguments, "-no-color"],
            cwd=self.terraform,
            env=self.environment | told,
            capture_output=True,
            text=True,
            check=False,
        )

    def do(self, *arguments: str, **answers: Any) -> str:
        """Run a command of Terraform that has to succeed; return what it printed."""
        ended = self.run(*arguments, **answers)
        if ended.returncode:
            raise AssertionError(ended.stdout + ended.stderr)
        return ended.stdout

    def init(self) -> Self:
        """Initialise; return this deployment."""
        self.do("init")
        return self

    def take_over(self, other: "Deployment") -> Self:
        """Go on from where another stands, which is left alone; return this deployment."""
        for name in (".terraform", "terraform.tfstate"):
            _copy(other.terraform / name, self.terraform / name)
        for ours, theirs in zip(self._providers, other._providers, strict=True):
            ours.take_over(theirs)
        return self

    def apply(self, **answers: Any) -> Self:
        """Apply without asking; return this deployment."""
        self.do("apply", "-auto-approve", _AT_ONCE, **answers)
        return self

    def destroy(self) -> Self:
        """Destroy without asking; return this deployment."""
        self.do("destroy", "-auto-approve", _AT_ONCE)
        return self

    def plan(self, **answers: Any) -> dict[str, Any]:
        """Return a plan, as Terraform writes it in JSON."""
        self.do("plan", "-out=plan", **answers)
        plan: dict[str, Any] = json.loads(self.do("show", "-json", "plan"))
        return plan

    def changes(self, **answers: Any) -> dict[str, list[str]]:
        """Return what a plan would do, by address: nothing, where all is as it should be."""
        return {
            change["address"]: change["change"]["actions"]
            for change in self.plan(**answers).get("resource_changes", [])
            if change["change"]["actions"] not in (["no-op"], ["read"])
        }

    def edit(self, name: str, old: str, new: str) -> Self:
        """Change what stands in a file of the configuration; return this deployment."""
        path = self.terraform / name
        text = path.read_text(encoding="utf-8")
        if old not in text:
            raise LookupError(f"{name} has no {old!r}")
        path.write_text(text.replace(old, new), encoding="utf-8")
        return self


def _copy(source: Path, target: Path) -> None:
    if source.is_dir():
        shutil.copytree(source, target, ignore=_LEFT)
    else:
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(source, target)

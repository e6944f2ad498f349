"""What the variables take, and what they refuse."""

import re
from pathlib import Path

import pytest

from local.deployment import ANSWERS

TERRAFORM = Path(__file__).parent.parent.parent / "terraform"
VARIABLES = (TERRAFORM / "variables.tf").read_text(encoding="utf-8")
BLOCKS = dict(re.findall(r'^variable "(\w+)" \{\n(.*?)^\}', VARIABLES, re.M | re.S))


def test_what_is_no_value_is_refused_before_anything_is_made(new_deployment):
    """
    `terraform test` passes: good values plan, and each bad one fails by its own variable.
    """
    deployment = new_deployment()
    deployment.answers = {}
    printed = deployment.do("test")

    assert "0 failed" in printed
    assert len(BLOCKS) < int(re.search(r"(\d+) passed", printed)[1])


def test_a_bad_answer_is_answered_with_a_sentence(new_deployment):
    """
    Who gives the channel's name for its id reads where the id stands.
    """
    refused = new_deployment().run("plan", line_channel_id="@family")

    assert 1 == refused.returncode
    assert "line_channel_id has ten digits" in refused.stderr


def test_five_answers_are_enough():
    """
    No more than five values have to be known, and whatever has to be is among them.
    """
    needed = {name for name, block in BLOCKS.items() if "default" not in block}

    assert needed < set(ANSWERS)
    assert 5 == len(ANSWERS)


@pytest.mark.parametrize("name", BLOCKS)
def test_every_variable_is_told_of_and_looked_at(name):
    """
    Each has a type and a description, and all but the yes-and-noes are validated with a sentence.
    """
    block = BLOCKS[name]
    sentences = re.findall(r'error_message = "(.*)"$', block, re.M)

    assert re.search(r"^  type +=", block, re.M)
    assert re.search(r'^  description = "[A-Z].*\."$', block, re.M)
    assert sentences or re.search(r"^  type +=( bool|.*map)", block, re.M)
    assert all(sentence.endswith(".") for sentence in sentences)


@pytest.mark.parametrize("name", [name for name, block in BLOCKS.items() if "sensitive" in block])
def test_secrets_are_ephemeral(name):
    """
    What is sensitive is also gone once Terraform ends.
    """
    assert re.search(r"^  ephemeral +=", BLOCKS[name], re.M)


def test_variables_stand_in_order():
    """
    They are found by the alphabet.
    """
    assert sorted(BLOCKS) == list(BLOCKS)


def test_the_example_names_every_variable_and_no_secret():
    """
    terraform.tfvars.example has all there is to set, and no place for a secret.
    """
    example = (TERRAFORM / "terraform.tfvars.example").read_text(encoding="utf-8")
    named = set(re.findall(r"^#? ?(\w+) += ", example, re.M))
    secrets = {name for name, block in BLOCKS.items() if "sensitive" in block}

    assert set(BLOCKS) - secrets == named


def test_the_example_is_right(new_deployment):
    """
    With every line of it in force, and the secret from the environment, there is a plan.
    """
    deployment = new_deployment()
    example = (deployment.terraform / "terraform.tfvars.example").read_text(encoding="utf-8")
    told = re.sub(r"^# (\w+ += )", r"\1", example, flags=re.M)
    (deployment.terraform / "terraform.tfvars").write_text(told, encoding="utf-8")
    deployment.answers = {"line_channel_secret": ANSWERS["line_channel_secret"]}
    planned = deployment.plan()["variables"]

    assert set(BLOCKS) - {"gemini_api_key", "line_channel_secret"} <= set(planned)
    assert "mother@example.com" == planned["alert_email"]["value"]

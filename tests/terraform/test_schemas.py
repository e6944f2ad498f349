"""The schemas of the providers, and what the providers made of them know."""

import json
from pathlib import Path

import pytest

from local.deployment import Deployment
from local.google_provider import google
from local.provider import SCHEMAS
from local.provider_schemas import Module, used

TERRAFORM = Path(__file__).parent.parent.parent / "terraform"
FILES = sorted(SCHEMAS.glob("*.json"))


def schemas(path):
    document = json.loads(path.read_text(encoding="utf-8"))
    return document["provider_schemas"][f"hashicorp/{path.stem}"]


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_schemas_say_where_they_are_from(path):
    """
    Each names the package it was read from, the provider's version and the licence.
    """
    notice = json.loads(path.read_text(encoding="utf-8"))["notice"]

    assert notice.startswith(f"Derived from cdktn_provider_{path.stem}-")
    assert f"terraform-provider-{path.stem} " in notice
    assert "MPL-2.0" in notice


def test_there_is_a_schema_for_all_that_is_used_and_for_no_more():
    """
    A type that is new in terraform/ needs its schema read: see local/provider_schemas.py.
    """
    known = set()
    for path in FILES:
        known |= set(schemas(path)["resource_schemas"])
        known |= {f"data.{name}" for name in schemas(path)["data_source_schemas"]}

    assert used(TERRAFORM) == known


def test_terraform_sees_the_schemas_as_they_are(new_deployment):
    """
    What the CLI is told over the protocol is what stands in the files.
    """
    deployment = new_deployment()
    told = json.loads(deployment.do("providers", "schema", "-json"))["provider_schemas"]

    for path in FILES:
        seen = told[f"registry.terraform.io/hashicorp/{path.stem}"]
        for section in ("resource_schemas", "data_source_schemas"):
            assert set(schemas(path)[section]) == set(seen.get(section, {}))
        for name, schema in schemas(path)["resource_schemas"].items():
            block = seen["resource_schemas"][name]["block"]
            assert set(schema["block"]["attributes"]) == set(block["attributes"])
            assert set(schema["block"].get("block_types", {})) == set(block.get("block_types", {}))


def test_what_is_known_of_a_kind_is_of_attributes_it_has():
    """
    A rule about an attribute that is misspelt would never bite.
    """
    provider = google()
    for name, kind in provider.kinds.items():
        block = provider.schemas()["resource_schemas"][name]["block"]
        parts = {*block["attributes"], *block.get("block_types", {})}
        groups = {part for group in (*kind.one_of, *kind.together) for part in group}

        assert {*kind.renewed_by, *kind.patterns, *kind.sensitive, *groups} <= parts


def test_every_type_of_google_is_known(applied):
    """
    No resource is made by a cloud that would let everything through.
    """
    types = {name for name in used(TERRAFORM) if name.startswith("google_")}

    assert types == set(google().kinds)


SCRIPT = """
class ThingRule extends cdktn.ComplexObject {}
class ThingRuleOutputReference extends cdktn.ComplexObject {
    // action - computed: false, optional: false, required: true
    get action() { return this.getStringAttribute('action'); }
}
function thingRuleToHclTerraform(struct) {
    const attrs = {
        action: {
            value: cdktn.stringToHclTerraform(struct.action),
            isBlock: false,
            type: "simple",
            storageClassType: "string",
        },
    };
}
class Thing extends cdktn.TerraformResource {
    static tfResourceType = "google_thing"
    // id - computed: true, optional: false, required: false
    get id() { return this.getStringAttribute('id'); }
    // secret_wo - computed: false, optional: true, required: false
    get secretWo() { /* Write-only */ }
    // rule - computed: false, optional: false, required: true
    _rule = new ThingRuleOutputReference(this, "rule");
    synthesizeHclAttributes() {
        const attrs = {
            secret_wo: {
                value: cdktn.stringToHclTerraform(this._secretWo),
                isBlock: false,
                type: "simple",
                storageClassType: "string",
            },
            rule: {
                value: thingRuleToHclTerraform(this._rule.internalValue),
                isBlock: true,
                type: "list",
                storageClassType: "ThingRuleList",
            },
        };
    }
}
"""
DECLARATIONS = """
export interface ThingConfig extends cdktn.TerraformMetaArguments {
    /**
    * rule block
    *
    * Docs at Terraform Registry: {@link https://example.com/thing#rule Thing#rule}
    */
    readonly rule: ThingRule;
}
export interface ThingRule {
    /**
    * What it does. Possible values: ["KEEP", "DELETE"]
    *
    * Docs at Terraform Registry: {@link https://example.com/thing#action Thing#action}
    */
    readonly action: string;
}
"""


def test_a_schema_is_read_from_a_package():
    """
    Attributes, blocks, what is computed, and of descriptions the values they name.
    """
    module = Module(SCRIPT, DECLARATIONS)
    values = 'Possible values: ["KEEP", "DELETE"]'

    assert ("resource_schemas", "google_thing") == (module.section, module.name)
    assert {
        "attributes": {
            "id": {"type": "string", "computed": True},
            "secret_wo": {"type": "string", "optional": True, "write_only": True},
        },
        "block_types": {
            "rule": {
                "nesting_mode": "list",
                "min_items": 1,
                "max_items": 1,
                "block": {
                    "attributes": {
                        "action": {"type": "string", "required": True, "description": values}
                    }
                },
            }
        },
    } == module.schema()


def test_a_deployment_leaves_what_is_secret_and_what_is_made(tmp_path):
    """
    Neither a state nor the answers of whoever develops here get into a test.
    """
    deployment = Deployment(tmp_path / "checkout")
    names = {path.name for path in deployment.terraform.iterdir()}

    assert {"versions.tf", "terraform.tfvars.example", "tests"} < names
    assert set() == names & {"terraform.tfstate", "terraform.tfvars", ".terraform", "backend.tf"}

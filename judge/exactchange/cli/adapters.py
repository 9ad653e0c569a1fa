"""`exactchange adapters`: the kinds of source that are installed, with their parameters."""

from collections.abc import Mapping
from importlib.metadata import EntryPoint
from typing import TYPE_CHECKING, cast

import click

from exactchange.cli import output

if TYPE_CHECKING:
    from exactchange.sources.registry import AnyKind
    from exactchange.values.jsonform import Json


@click.command("adapters")
@output.json_option
def adapters(*, as_json: bool) -> None:
    """List the kinds of source that a task may name, where each comes from, and the parameters it takes.

    \b
      exactchange adapters
    """
    from exactchange.sources.registry import kinds

    found = [_described(point) for point in kinds().values()]
    if as_json:
        output.say_json({"schema": "exactchange/adapters/1", "adapters": list(found)})
        return
    for item in found:
        _print(item)


def _described(point: EntryPoint) -> "dict[str, Json]":
    from exactchange.sources.registry import kind_named

    package = "" if point.dist is None else f"{point.dist.name} {point.dist.version}"
    out: dict[str, Json] = {"name": point.name, "module": point.value, "package": package}
    try:
        kind = kind_named(point.name)
        schema, rules = kind.params.model_json_schema(), noise_rules(kind)
    except Exception as error:  # noqa: BLE001  # anybody's code; one that is broken is listed as broken
        out |= {"error": f"{type(error).__name__}: {error}", "params": {}, "noise": []}
        return out
    fields = schema.get("properties", {})
    required = schema.get("required", [])
    params: dict[str, Json] = {
        name: {"description": field.get("description", ""), "required": name in required, "type": _type(field)}
        for name, field in fields.items()
    }
    out |= {"error": None, "params": params, "noise": rules}
    return out


def noise_rules(kind: "AnyKind") -> "list[Json]":
    """The rules by which a kind recognises noise: what each is called and says, and whether it is usually on."""
    from exactchange.sources import Noisy

    rules = kind.noise_rules if isinstance(kind, Noisy) else ()
    return [{"name": rule.name, "says": rule.says, "usual": rule.usual} for rule in rules]


def _type(field: Mapping[str, object]) -> str:
    """A JSON Schema type in a few words."""
    choices, kinds = field.get("enum"), field.get("anyOf")
    if isinstance(choices, list):
        return " | ".join(map(str, cast("list[object]", choices)))
    if "$ref" in field:
        return "mapping"
    if isinstance(kinds, list):
        return " | ".join(dict.fromkeys(_type(item) for item in cast("list[Mapping[str, object]]", kinds)))
    return str(field.get("const", field.get("type", "")))


def _print(item: "dict[str, Json]") -> None:
    from exactchange.reports.lines import folded
    from exactchange.reports.sanitise import shown

    output.say(f"{item['name']}   {shown(str(item['package']))} ({shown(str(item['module']))})")
    if item["error"]:
        output.say(f"  broken: {shown(str(item['error']))}")
    params = item["params"]
    assert isinstance(params, dict)
    width = max(map(len, params), default=0)
    for name, field in params.items():
        assert isinstance(field, dict)
        need = "needed. " if field["required"] else ""
        lead = f"  {name:<{width}}  "
        text = f"{need}{shown(str(field['description']))} ({shown(str(field['type']))})"
        output.say("\n".join(folded(text.strip(), cells=output.look().width, lead=lead, more=" " * len(lead))))
    rules = item.get("noise", [])
    assert isinstance(rules, list)
    for rule in rules:
        assert isinstance(rule, dict)
        text = f"{rule['says']} ({'on' if rule['usual'] else 'off'})"
        lead = f"  noise rule {rule['name']}: "
        output.say("\n".join(folded(text, cells=output.look().width, lead=lead, more="    ")))

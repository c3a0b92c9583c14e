"""The types of the format as slotted dataclasses, through datamodel-code-generator.

The model generator gives annotations and defaults; the layout is the template's. Plain dataclasses and not
pydantic models: built by position they cost a seventh, and importing them imports no pydantic (docs/design.md).
"""

from __future__ import annotations

import ast
import warnings
from typing import Any

from toolgen.render.templates import AliasText, ClassText, FieldText
from toolgen.resolve import Format


def format_code(format: Format) -> tuple[tuple[ClassText, ...], tuple[AliasText, ...]]:
    """Return the classes and the aliases of the format, each in the order of the sources."""
    from datamodel_code_generator import InputFileType, generate
    from datamodel_code_generator.config import GenerateConfig
    from datamodel_code_generator.enums import DataModelType
    from datamodel_code_generator.format import PythonVersion
    from datamodel_code_generator.parser import LiteralType

    metadata = {"type": "object", "additionalProperties": True}
    schema = {"$defs": {n: _inlined(s, metadata) for n, s in format.schema["$defs"].items() if n != "Metadata"}}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # notices about the generator's own future defaults; the version is pinned
        text = generate(
            schema,
            config=GenerateConfig(
                input_file_type=InputFileType.JsonSchema,
                output_model_type=DataModelType.DataclassesDataclass,
                target_python_version=PythonVersion.PY_311,
                disable_timestamp=True,
                formatters=[],
                allow_remote_refs=False,
                strict_refs=True,
                treat_dot_as_module=False,
                snake_case_field=True,
                enum_field_as_literal=LiteralType.All,
                use_union_operator=True,
                use_standard_collections=True,
                use_one_literal_as_default=True,
                dataclass_arguments={"slots": True},
            ),
        )
    if not isinstance(text, str):
        raise TypeError("the format became several modules")
    return _read(text, format)


def _inlined(value: Any, metadata: dict[str, Any]) -> Any:
    """Without descriptions, which the template writes, and with Metadata as the plain object it is."""
    if isinstance(value, dict):
        if value.get("$ref") == "#/$defs/Metadata":
            return metadata
        return {k: _inlined(v, metadata) for k, v in value.items() if not (k == "description" and isinstance(v, str))}
    return [_inlined(v, metadata) for v in value] if isinstance(value, list) else value


def _read(text: str, format: Format) -> tuple[tuple[ClassText, ...], tuple[AliasText, ...]]:
    classes: dict[str, ClassText] = {}
    aliases: dict[str, AliasText] = {}
    for node in ast.parse(text).body:
        if isinstance(node, ast.ClassDef):
            kind = format.types[node.name]
            described = {f.python: str(f.schema.get("description", "")) for f in kind.fields}
            fields = tuple(
                FieldText(
                    item.target.id,
                    ast.unparse(item.annotation),
                    None if item.value is None else ast.unparse(item.value),
                    described.get(item.target.id, ""),
                )
                for item in node.body
                if isinstance(item, ast.AnnAssign) and isinstance(item.target, ast.Name)
            )
            classes[node.name] = ClassText(node.name, kind.description, fields)
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name) and node.value is not None:
            name = node.target.id
            if name in format.types:
                aliases[name] = AliasText(name, format.types[name].description, ast.unparse(node.value))
    missing = format.types.keys() - classes.keys() - aliases.keys() - {"Metadata"}
    if missing:
        raise ValueError(f"the model generator gave no {', '.join(sorted(missing))}")
    return (
        tuple(classes[n] for n in format.types if n in classes),
        tuple(aliases[n] for n in format.types if n in aliases),
    )

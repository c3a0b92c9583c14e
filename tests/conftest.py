from __future__ import annotations

import sys
from importlib.util import find_spec
from types import ModuleType
from typing import Any

import yaml
from jsonschema import Draft202012Validator
from toolgen.resources import builtin


def _stand_ins() -> None:
    """Minimal `toolgen.parse.validation` and `toolgen.parse.meta`, as long as the real ones are not there."""
    if find_spec("toolgen.parse.meta") is None:
        module = ModuleType("toolgen.parse.meta")

        def meta(kind: str) -> Any:
            return yaml.safe_load((builtin("schemas") / "meta" / f"{kind}.yaml").read_text("utf-8"))

        module.meta = meta  # type: ignore[attr-defined]
        sys.modules["toolgen.parse.meta"] = module
    if find_spec("toolgen.parse.validation") is None:
        module = ModuleType("toolgen.parse.validation")

        def conforms(document: Any, schema: Any, findings: Any) -> bool:
            errors = list(Draft202012Validator(schema).iter_errors(document.value))
            for error in errors:
                reason = error.message[:200]
                span = document.span(*error.absolute_path)
                findings.add("schema-invalid", span, keyword="the declaration", reason=reason)
            return not errors

        module.conforms = conforms  # type: ignore[attr-defined]
        sys.modules["toolgen.parse.validation"] = module


_stand_ins()

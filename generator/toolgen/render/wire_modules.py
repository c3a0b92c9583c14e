"""The class of each provider, and the module that it is in.

The classes of the shipped profiles are modules of the runtime. A profile that a project adds or changes, also by its
settings, has a class of its own, in a module beside the provider's. With a format of the project, every profile has.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

from jinja2 import UndefinedError

from toolgen.plan.object_mappings import MappingError
from toolgen.plan.provider import ProviderPlan, plan_provider
from toolgen.render.imports import RUNTIME, UnknownNameError, insert_imports
from toolgen.render.templates import UNFORMATTED_HEADER, format_generated_module, render_template
from toolgen.resolve import Catalog, Format, Profile
from toolgen.resolve.profiles import profile_name_of_file
from toolgen.resources import modules_by_exported_name

NOT_IN_CLASS = frozenset({"extends", "limits", "parameter_names"})
"""The sections of a profile that its class contains nothing of."""


def runtime_wire_module(profile: Profile) -> str:
    """Return the name of the runtime's module for the class of a shipped profile, such as `toolgen_runtime.apis.mcp.wire`.

    A class stands in the folder of the API whose converter it uses. One of another name is a host of that API.
    """
    converter = str(profile.facts["converter"])
    module = modules_by_exported_name().get(converter, "")
    api = module.removeprefix("apis.").split(".")[0]
    return f"{RUNTIME}.apis.{api}." + ("wire" if api == profile.name else f"hosts.{profile.name}")


def find_wire_modules(catalog: Catalog) -> dict[str, str]:
    """Return the modules of the classes of all profiles, and of those that they extend, by the names of the profiles.

    The name of a module in the generated package begins with a dot (`import_path`).
    """
    return {
        line[0].name: runtime_wire_module(line[0])
        if not catalog.format.is_extended and _is_shipped(line[0])
        else f".providers._{line[0].name}_wire"
        for line in profile_ancestors(catalog.profiles)
    }


def _is_shipped(profile: Profile) -> bool:
    """Return whether the class of a profile is that of the shipped profile of this name."""
    own = [document for document in profile.documents if not document.is_shipped]
    shipped = {profile_name_of_file(document) for document in profile.documents if document.is_shipped}
    changed = profile.configured.union(*(document.value.keys() for document in own))
    return profile.name in shipped and changed <= NOT_IN_CLASS


def own_wire_files(catalog: Catalog, modules: Mapping[str, str]) -> dict[str, str]:
    """Return the modules of classes that the package has itself, by path.

    Raises:
        MappingError: a profile lacks a fact, or refers to something that does not exist.
    """
    names = format_class_names(catalog.format)
    files: dict[str, str] = {}
    for line in profile_ancestors(catalog.profiles):
        module = modules[line[0].name]
        if module.startswith("."):
            path = module.strip(".").replace(".", "/") + ".py"
            plan, *ancestors = (plan_provider(profile, catalog) for profile in line)
            files[path] = format_generated_module(path, render_wire_module(plan, ancestors, names, modules))
    return files


def runtime_wire_files(catalog: Catalog) -> dict[str, str]:
    """Return the modules of the classes of shipped profiles, and the folders of hosts, by their paths in the runtime."""
    names = format_class_names(catalog.format)
    plans = {profile.name: plan_provider(profile, catalog) for profile in catalog.profiles}
    modules = {profile.name: runtime_wire_module(profile) for profile in catalog.profiles}
    files: dict[str, str] = {}
    for line in profile_ancestors(catalog.profiles):
        plan, *ancestors = (plans[profile.name] for profile in line)
        path = modules[plan.name].removeprefix(f"{RUNTIME}.").replace(".", "/") + ".py"
        files[path] = format_generated_module(path, render_wire_module(plan, ancestors, names, modules))
        folder = path.rpartition("/")[0]
        if folder.endswith("/hosts"):
            files[f"{folder}/__init__.py"] = (
                UNFORMATTED_HEADER + '"""The classes of servers that speak this API, each with its differences."""\n'
            )
    return files


def profile_ancestors(profiles: Iterable[Profile]) -> list[tuple[Profile, ...]]:
    """Return each profile, followed by those that it extends, the nearest first. Extended profiles are listed before it."""
    known = {profile.name: profile for profile in profiles}
    lines: dict[str, tuple[Profile, ...]] = {}
    for first in known.values():
        line = [first]
        while (parent := line[-1].parent) is not None:
            line.append(known.get(parent.name, parent))
        lines |= {profile.name: tuple(line[i:]) for i, profile in enumerate(line)}
    return sorted(lines.values(), key=lambda line: (len(line), line[0].name))


def format_class_names(format: Format) -> list[str]:
    """Return the names of the format's classes, without metadata, which is a plain object."""
    return sorted(name for name in format.types if name != "Metadata")


def render_wire_module(
    plan: ProviderPlan, ancestors: Sequence[ProviderPlan], models: Sequence[str], modules: Mapping[str, str]
) -> str:
    """Return the text of the module with a provider's class: the facts of its profile about each object.

    The class is derived from that of the first ancestor that has only members that this class has too, and contains what
    differs. Ancestors are the profiles that this one extends, the nearest first; `models` are the names that the
    format's module exports, and `modules` the modules of the classes by provider.

    Raises:
        MappingError: the profile lacks a fact, or refers to something that does not exist.
    """
    from toolgen.render.converters import wire_class  # most packages use the classes of the runtime

    printed_class, homes = wire_class(plan), dict[str, str]()
    for parent in ancestors:
        derived = printed_class.derived_from(wire_class(parent))
        if derived is not None:
            printed_class, homes = derived, {parent.class_name: modules[parent.name]}
            break
    try:
        text = render_template("wires/module.py", plan=plan, printed_class=printed_class)
        return insert_imports(text, modules[plan.name], models, homes)
    except UndefinedError as error:
        raise missing_fact(error, plan.name) from error
    except UnknownNameError as error:
        raise misspelled_name(error, plan.name) from error


def missing_fact(error: UndefinedError, provider: str) -> MappingError:
    """Return the error of a fact that a template prints and a profile does not have."""
    name = re.search(r"no attribute '(\w+)'", f"{error}")
    return MappingError((), f"needs {name[1]}" if name else f"{error}", provider)


def misspelled_name(error: UnknownNameError, provider: str) -> MappingError:
    """Return the error of a name in a profile. It says functions of keys without what they do."""
    unknown, *known = (re.sub("^(read|write)_", "", name) for name in (error.name, *modules_by_exported_name()))
    return MappingError((), f"{error}", provider, unknown, known)

"""The schemas for editors, in the programs that editors run: yaml-language-server and ajv, from npm.

    python -m tests.programs.editors FOLDER [COLLECTION]

FOLDER has `node_modules`. COLLECTION has declarations as `tests.corpus.everything` takes them, of which every second is taken; without it
there are GitHub's and the fifty of the tests. Every mistake of form in `tests/mistakes` has a diagnostic at its line, and every real
declaration has none but for the words that a build warns of. In a project of `toolgen init` the server finds the schema by the first
line of a source, and says over a keyword which providers lack it. It is no part of the test suite, which needs no registry of npm.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import yaml

from tests.corpus.everything import declarations
from tests.support.commands import toolgen
from tests.support.declarations import DECLARATIONS
from tests.support.repository import ROOT
from tests.support.sources import faults
from tests.unit.test_editor_schemas import MISTAKES_OF_FORM, OF_FORM
from toolgen.new_project import editor_schema_text

AJV = """
const Ajv = require("ajv");
const given = JSON.parse(require("fs").readFileSync(0, "utf8"));
const ajv = new Ajv({ strict: false, validateFormats: false });
const validate = ajv.compile(given.schema);
console.log(JSON.stringify(given.values.map((value) => validate(value))));
"""


TYPING = {"a comma cuts a description", "a comma cuts the description of an object"}
"""Keys without a value: the server takes them for words that somebody is about to type. ajv and a build refuse them."""


class Server:
    """yaml-language-server over its standard streams."""

    def __init__(self, folder: Path, settings: Mapping[str, Any]) -> None:
        command = ["node", str(folder / "node_modules/yaml-language-server/bin/yaml-language-server"), "--stdio"]
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self._number = 0
        self._settings = settings

    def ask(self, method: str, params: Any) -> Any:
        """Send a request, and wait for the response."""
        self._number += 1
        self._send({"id": self._number, "method": method, "params": params})
        while True:
            message = self.next()
            if message.get("id") == self._number and "method" not in message:
                return message.get("result")

    def tell(self, method: str, params: Any) -> None:
        """Send a notification."""
        self._send({"method": method, "params": params})

    def _send(self, message: Any) -> None:
        assert self._process.stdin is not None
        data = json.dumps({"jsonrpc": "2.0", **message}).encode()
        self._process.stdin.write(b"Content-Length: %d\r\n\r\n%s" % (len(data), data))
        self._process.stdin.flush()

    def next(self) -> Any:
        """The next message; requests of the server get the settings."""
        assert self._process.stdout is not None
        length = 0
        while line := self._process.stdout.readline().strip():
            name, _, value = line.partition(b":")
            length = int(value) if name.lower() == b"content-length" else length
        message = json.loads(self._process.stdout.read(length))
        if "method" in message and "id" in message:
            wanted = message.get("params", {}).get("items", [])
            settings = [self._settings.get(item["section"], {}) for item in wanted]
            self._send({"id": message["id"], "result": settings})
        return message

    def diagnostics(self, texts: Mapping[str, str]) -> dict[str, list[Any]]:
        """What the server says of documents, by their addresses; it looks at several side by side."""
        for uri, text in texts.items():
            document = {"uri": uri, "languageId": "yaml", "version": 1, "text": text}
            self.tell("textDocument/didOpen", {"textDocument": document})
        diagnostics_by_uri: dict[str, list[Any]] = {}
        while diagnostics_by_uri.keys() != texts.keys():
            message = self.next()
            if message.get("method") == "textDocument/publishDiagnostics":
                diagnostics_by_uri[message["params"]["uri"]] = message["params"]["diagnostics"]
        return diagnostics_by_uri

    def stop(self) -> None:
        """End the server."""
        self._process.kill()
        self._process.wait()


@contextmanager
def served(folder: Path, schema: Path | None) -> Iterator[Server]:
    """A server that has the schema for every YAML file, or has to find it by the first line."""
    schemas = {schema.as_uri(): "*.yaml"} if schema is not None else {}
    settings = {"yaml": {"schemas": schemas, "schemaStore": {"enable": False}, "validate": True, "hover": True}}
    server = Server(folder, settings)
    try:
        server.ask("initialize", {"processId": None, "rootUri": None, "capabilities": {}})
        server.tell("initialized", {})
        server.tell("workspace/didChangeConfiguration", {"settings": settings})
        while server.next().get("method") != "workspace/configuration":
            pass
        yield server
    finally:
        server.stop()


def project_faults(node: Path, folder: Path) -> Iterator[str]:
    """What is wrong in a new project, as an editor shows it that knows nothing of toolgen."""
    toolgen("init", folder)
    places = {"tool": folder / "schemas/tools/get_weather.yaml", "configuration": folder / "schemas/toolgen.yaml"}
    with served(node, None) as server:
        good = server.diagnostics({place.as_uri(): place.read_text("utf-8") for place in places.values()})
        for name, place in places.items():
            if good[place.as_uri()]:
                yield f"a new {name}: {good[place.as_uri()][0]['message']}"
            typo = place.with_name(f"typo-{name}.yaml")
            bad = server.diagnostics({typo.as_uri(): f"{place.read_text('utf-8')}nonsense: 1\n"})
            if not bad[typo.as_uri()]:
                yield f"a {name} with a key that there is not has no diagnostic"
        text = places["tool"].read_text("utf-8").replace("city: {type: string,", "city: {pattern: a, type: string,")
        asked = places["tool"].with_name("asked.yaml").as_uri()
        server.diagnostics({asked: text})
        line = next(number for number, words in enumerate(text.splitlines()) if "pattern" in words)
        read_hashable_index = {"line": line, "character": text.splitlines()[line].index("pattern") + 2}
        hover = server.ask("textDocument/hover", {"textDocument": {"uri": asked}, "position": read_hashable_index})
        if "anthropic" not in json.dumps(hover):
            yield f"over `pattern` it is not said who lacks it: {hover}"


def main(node: Path, collection: Path | None) -> int:
    """Hold both programs to the mistakes and the declarations; print what is wrong."""
    wrong: list[str] = []
    if collection is None:
        real = {row["id"]: {"name": "probe", "parameters": row["parameters"]} for row in DECLARATIONS}
        listed = json.loads((ROOT / "tests/corpus/github-tools.json").read_text("utf-8"))["result"]["tools"]
        real |= {tool["name"]: {"name": "probe", "parameters": tool["inputSchema"]} for tool in listed}
    else:
        real = dict([*declarations(collection).values()][::2])
    warned = [{f.code for f in faults({"tools/probe.json": value}, idle=True)} & OF_FORM for value in real.values()]
    with tempfile.TemporaryDirectory() as place:
        schema = Path(place) / "declaration.json"
        schema.write_text(editor_schema_text("declaration"), "utf-8")
        texts = {f"file://{place}/mistake{i}.yaml": mistake.text for i, mistake in enumerate(MISTAKES_OF_FORM)}
        texts |= {
            f"file://{place}/real{i}.yaml": yaml.safe_dump(value, sort_keys=False, allow_unicode=True)
            for i, value in enumerate(real.values())
        }
        with served(node, schema) as server:
            diagnostics_by_uri = server.diagnostics(texts)
        for i, mistake in enumerate(MISTAKES_OF_FORM):
            lines = {
                diagnostic["range"]["start"]["line"] + 1
                for diagnostic in diagnostics_by_uri[f"file://{place}/mistake{i}.yaml"]
            }
            line = next(i for i, text in enumerate(mistake.text.splitlines(), 1) if "# here" in text)
            if line not in lines and mistake.title not in TYPING:
                wrong.append(f"yaml-language-server: {mistake.title}: line {line} is not among {sorted(lines)}")
        for i, (name, codes) in enumerate(zip(real, warned, strict=True)):
            diagnostics = diagnostics_by_uri[f"file://{place}/real{i}.yaml"]
            if diagnostics and not codes:
                wrong.append(f"yaml-language-server: {name}: {diagnostics[0]['message'][:200]}")
        wrong += project_faults(node, Path(place) / "project")
    values = [yaml.safe_load(mistake.text) for mistake in MISTAKES_OF_FORM]
    request = json.dumps(
        {"schema": json.loads(editor_schema_text("declaration")), "values": [*values, *real.values()]}, default=str
    )
    done = subprocess.run(["node", "-e", AJV], cwd=node, input=request, capture_output=True, text=True, check=True)
    verdicts = json.loads(done.stdout)
    wrong += [
        f"ajv: {mistake.title}: accepted" for mistake, fits in zip(MISTAKES_OF_FORM, verdicts, strict=False) if fits
    ]
    wrong += [
        f"ajv: {name}: refused"
        for name, fits, codes in zip(real, verdicts[len(MISTAKES_OF_FORM) :], warned, strict=True)
        if not fits and not codes
    ]
    print("".join(f"{line}\n" for line in wrong), end="")
    print(f"{len(MISTAKES_OF_FORM)} mistakes and {len(real)} declarations, in two programs: {len(wrong)} faults")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve() if sys.argv[2:] else None))

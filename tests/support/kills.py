"""Kills builds by the thousand: `python -m tests.support.kills 1000`, or `make kills KILLS=1000`.

After each kill, the output is the complete old version or the complete new one, and the next build succeeds without
help and leaves nothing behind. Some builds are killed before one of their file operations, each in turn; some at a
random moment; some as a complete program, from outside. A build that starts after such a kill is killed too.
"""

from __future__ import annotations

import itertools
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "unit" / "write"))

import pytest
from write_faults import EXCHANGE, At, install
from write_project import Project, snapshot
from write_scenes import ALL, SCENES, Scene, Stage, kinds, set_stage

from tests.support.commands import toolgen_process
from tests.support.generated import write_project
from tests.support.repository import PROFILES, ROOT

PROGRAMS = 25
"""One of this many kills is of a complete program."""


class Torn(AssertionError):
    """The output is neither the old version nor the new one, or a build did not repair it."""


class Count(Counter[str]):
    """The number of kills by kind, and the states of the output after them."""

    @property
    def killed(self) -> int:
        return sum(number for outcome, number in self.items() if outcome.startswith(("at ", "of ")))

    def summary(self) -> str:
        return ", ".join(f"{number} {outcome}" for outcome, number in sorted(self.items()))


def killed_build(project: Project, scene: Scene, exchange: bool, number: int | None, delay: float = 0) -> bool:
    """Build in a process that is killed before an operation, or after a delay. Return whether it was killed."""
    child = os.fork()
    if child == 0:
        code = 1
        try:
            with pytest.MonkeyPatch.context() as patch:
                if number is not None or not exchange:
                    act = At(number or 0, lambda: os.kill(os.getpid(), signal.SIGKILL))
                    install(patch, act, names=ALL, exchange=exchange)
                code = 0 if project.build(dict(scene.after)) is not None else 1
        finally:
            os._exit(code)
    if number is None:
        time.sleep(delay)
        os.kill(child, signal.SIGKILL)
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    if status not in (0, -signal.SIGKILL):
        raise Torn(f"a build ended with {status}")
    return status != 0


def judge(stage: Stage, project: Project, exchange: bool, case: str, count: Count) -> None:
    """Check the output after a kill."""
    output = snapshot(project.out)
    if output == stage.new:
        count["left the new tree"] += 1
    elif output == stage.old:
        count["left the old tree"] += 1
    elif stage.stands(project, exchange=exchange):
        count["between the two renames"] += 1
    else:
        raise Torn(f"mixed after {case}: {sorted(output)}")


def settle(stage: Stage, project: Project, case: str) -> None:
    """Check that the next build succeeds without help."""
    if project.build(dict(stage.scene.after)) is None or project.codes:
        raise Torn(f"the next build failed after {case}: {project.codes}")
    if snapshot(project.out) != stage.new or project.litter():
        raise Torn(f"the next build left {project.litter()} after {case}")


def turns(stages: dict[str, Stage], folder: Path) -> Iterator[tuple[str, Stage, bool, int]]:
    """Yield every operation of every scene on both systems, repeatedly; those that exchange folders come first."""
    tracks = []
    for (name, stage), exchange in itertools.product(stages.items(), (True, False)):
        operations = kinds(stage.copy(folder / f"{name}{exchange}"), stage.scene.after, exchange)
        moves = [n for n, kind in enumerate(operations, 1) if kind in ("rename", EXCHANGE)]
        spread = [n * 7 % len(operations) + 1 if len(operations) % 7 else n + 1 for n in range(len(operations))]
        order = dict.fromkeys([*moves, *spread])
        tracks.append([(name, stage, exchange, number) for number in order])
    for step in itertools.count():
        yield from (track[step % len(track)] for track in tracks)


def kill_at_operations(number: int, stages: dict[str, Stage], folder: Path, chance: random.Random) -> Count:
    count = Count()
    for serial, (name, stage, exchange, step) in enumerate(turns(stages, folder)):
        if count.killed >= number:
            break
        project = stage.copy(folder / f"operation{serial}")
        case = f"a kill before operation {step} of {name!r}, exchange {exchange}"
        count["at an operation"] += killed_build(project, stage.scene, exchange, step)
        judge(stage, project, exchange, case, count)
        if serial % 3 == 0:
            again = chance.randint(1, 150)
            case += f", and another before operation {again}"
            count["at an operation of the next build"] += killed_build(project, stage.scene, exchange, again)
            judge(stage, project, exchange, case, count)
        settle(stage, project, case)
    return count


def kill_at_moments(number: int, stages: dict[str, Stage], folder: Path, chance: random.Random) -> Count:
    count = Count()
    took: dict[tuple[str, bool], float] = {}
    for serial in itertools.count():
        if count.killed >= number:
            break
        name, exchange = chance.choice(list(stages)), chance.random() < 0.5
        stage = stages[name]
        if (name, exchange) not in took:
            start = time.monotonic()
            killed_build(stage.copy(folder / f"timed{name}{exchange}"), stage.scene, exchange, 10**9)
            took[name, exchange] = time.monotonic() - start
        project = stage.copy(folder / f"moment{serial}")
        delay = chance.uniform(0, took[name, exchange])
        case = f"a kill of {name!r} after {delay:.4f} s, exchange {exchange}"
        count["at a moment"] += killed_build(project, stage.scene, exchange, None, delay)
        judge(stage, project, exchange, case, count)
        settle(stage, project, case)
    return count


def kill_programs(number: int, folder: Path, chance: random.Random) -> Count:
    """Kill the command line, usually when its staging folder exists."""
    count = Count()
    old, new = _two_versions(folder)
    box = folder / ".toolgen-generated"
    cache = {"XDG_CACHE_HOME": str(folder / "cache")}
    environment = {**os.environ, **cache, "PYTHONPATH": f"{ROOT / 'generator'}:{ROOT / 'runtime'}"}
    for serial in itertools.count():
        if count.killed >= number:
            break
        _declare(folder, serial % 2 == 0)
        command = [sys.executable, "-m", "toolgen", "build", "-q"]
        process = subprocess.Popen(command, cwd=folder, env=environment, stderr=subprocess.DEVNULL)
        early = serial % 5 == 0
        end = time.monotonic() + (chance.uniform(0, 2) if early else 60)
        while process.poll() is None and time.monotonic() < end and (early or not box.exists()):
            time.sleep(0.0005)
        if not early:
            time.sleep(chance.uniform(0, 0.05))
        process.kill()
        count["of a program"] += process.wait() != 0
        output = snapshot(folder / "generated")
        if output not in (old, new):
            raise Torn(f"mixed after kill {serial} of a program")
        count["left the new tree" if output == (old, new)[serial % 2 == 0] else "left the old tree"] += 1
        done = toolgen_process("build", "-q", cwd=folder, root=ROOT, env=cache)
        if done.returncode or snapshot(folder / "generated") != (old, new)[serial % 2 == 0] or box.exists():
            raise Torn(f"the next build failed after kill {serial} of a program: {done.stderr}")
    return count


def _two_versions(folder: Path) -> tuple[dict[str, str], dict[str, str]]:
    write_project(folder, providers=PROFILES)
    trees = []
    for newer in (True, False):
        _declare(folder, newer)
        done = toolgen_process("build", "-q", cwd=folder, root=ROOT)
        if done.returncode:
            raise Torn(done.stderr)
        trees.append(snapshot(folder / "generated"))
    return trees[1], trees[0]


def _declare(folder: Path, newer: bool) -> None:
    (folder / "schemas" / "toolgen.yaml").write_text("providers: [openai_chat]\n")
    tools = folder / "schemas" / "tools"
    (tools / "now.json").write_text(f'{{"name": "now", "description": "The {"hour" if newer else "time"}."}}\n')
    for name, present in (("zz_old", not newer), ("added", newer)):
        if present:
            (tools / f"{name}.json").write_text(f'{{"name": "{name}"}}\n')
        else:
            (tools / f"{name}.json").unlink(missing_ok=True)


def kill(number: int, folder: Path, seed: int, say: Callable[[str], object] = lambda _: None) -> Count:
    """Kill a number of builds.

    Raises:
        Torn: The output was mixed, or was not repaired.
    """
    chance = random.Random(seed)
    stages = {}
    for name, scene in SCENES.items():
        (folder / name).mkdir()
        stages[name] = set_stage(scene, folder / name)
    programs = number // PROGRAMS
    total = Count()
    moments = (number - programs) // 2
    parts: dict[str, Callable[[], Count]] = {
        "operations": lambda: kill_at_operations(number - programs - moments, stages, folder, chance),
        "moments": lambda: kill_at_moments(moments, stages, folder, chance),
        "programs": lambda: kill_programs(programs, folder, chance) if programs else Count(),
    }
    for part_name, part in parts.items():
        count = part()
        say(f"{part_name}: {count.summary()}\n")
        total.update(count)
    return total


def main() -> int:
    number = int(sys.argv[1]) if len(sys.argv) > 1 else 1000
    seed = int(sys.argv[2]) if len(sys.argv) > 2 else random.SystemRandom().randrange(10**6)
    print(f"seed {seed}", flush=True)
    with tempfile.TemporaryDirectory() as folder:
        total = kill(number, Path(folder), seed, lambda line: print(line, end="", flush=True))
    print(f"{total.killed} killed, no mixed tree")
    return 0


if __name__ == "__main__":
    sys.exit(main())

"""Real builds by default settings: toolchains find in a closed home what they need."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
import toolkeep

# A crate that toolkeep itself is built with, so that Cargo has it in the home folder.
CRATE = "itoa"


@pytest.fixture
def work(tmp_path: Path) -> Path:
    """A workspace."""
    folder = tmp_path / "work"
    folder.mkdir()
    return folder


def run(work: Path, *commands: str) -> str:
    """Runs commands one after the other, each of which must end well."""
    said = ""
    with toolkeep.Runtime(
        workspace=work, approval={"external": False}, exec={"timeout_seconds": 600}
    ) as rt:
        assert rt.exec.capabilities()["namespaces"] or rt.exec.capabilities()["landlock"]
        for command in commands:
            result = rt.call("exec", {"command": command}, session="builds")
            assert not result.is_error, f"{command}: {result.for_llm}"
            said += result.for_llm + "\n"
    return said


def write(work: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        at = work / name
        at.parent.mkdir(parents=True, exist_ok=True)
        at.write_text(text)


def test_cargo_builds_with_a_crate_from_its_registry(work: Path) -> None:
    package = '[package]\nname = "a"\nversion = "0.1.0"\nedition = "2021"\n'
    manifest = f'{package}[dependencies]\n{CRATE} = "1"\n'
    main = f'fn main() {{ println!("{{}}", {CRATE}::Buffer::new().format(42)); }}\n'
    write(work, {"Cargo.toml": manifest, "src/main.rs": main})
    assert "42" in run(work, "cargo build --offline -q", "./target/debug/a")


def test_npm_installs_a_package_and_node_runs_it(work: Path) -> None:
    write(
        work,
        {
            "package.json": '{"name": "a", "version": "1.0.0", "private": true}',
            "lib/package.json": '{"name": "lib", "version": "1.0.0", "main": "index.js"}',
            "lib/index.js": "module.exports = 42\n",
            "main.js": "console.log(require('lib'))\n",
            # A command that installs is denied by itself; what a build does runs confined.
            "build.sh": "npm install --no-audit --no-fund ./lib\n",
        },
    )
    assert "42" in run(work, "sh ./build.sh", "node main.js")


def test_pip_installs_a_wheel_and_pytest_runs(work: Path) -> None:
    with zipfile.ZipFile(work / "lib-1.0-py3-none-any.whl", "w") as wheel:
        wheel.writestr("lib.py", "answer = 42\n")
        metadata = "Metadata-Version: 2.1\nName: lib\nVersion: 1.0\n"
        wheel.writestr("lib-1.0.dist-info/METADATA", metadata)
        wheel.writestr(
            "lib-1.0.dist-info/WHEEL",
            "Wheel-Version: 1.0\nGenerator: a\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
        )
        wheel.writestr("lib-1.0.dist-info/RECORD", "")
    test = "def test_a():\n    assert 6 * 7 == 42\n"
    build = "v/bin/pip install --no-index ./lib-1.0-py3-none-any.whl\n"
    write(work, {"test_a.py": test, "build.sh": build})
    said = run(
        work,
        "python3 -m venv v",
        "sh ./build.sh",
        "v/bin/python -c 'import lib; print(lib.answer)'",
        f"{sys.executable} -m pytest -q -p no:cacheprovider test_a.py",
    )
    assert "42" in said
    assert "1 passed" in said


def test_go_builds(work: Path) -> None:
    main = 'package main\n\nimport "fmt"\n\nfunc main() { fmt.Println(6 * 7) }\n'
    write(work, {"go.mod": "module a\n\ngo 1.19\n", "main.go": main})
    assert "42" in run(work, "go build -o a .", "./a")


def test_javac_compiles_and_java_runs(work: Path) -> None:
    main = "class A { public static void main(String[] a) { System.out.println(6 * 7); } }\n"
    write(work, {"A.java": main})
    assert "42" in run(work, "javac A.java", "java -cp . A")


def test_git_clones_and_commits_as_the_user(work: Path) -> None:
    git = shutil.which("git")
    assert git is not None
    nobody = {**os.environ, "GIT_AUTHOR_NAME": "a", "GIT_AUTHOR_EMAIL": "a@b"}
    nobody |= {"GIT_COMMITTER_NAME": "a", "GIT_COMMITTER_EMAIL": "a@b"}
    write(work, {"origin/file": "42\n"})
    for words in (["init", "-q"], ["add", "."], ["commit", "-q", "-m", "one"]):
        subprocess.run([git, "-C", str(work / "origin"), *words], check=True, env=nobody)
    said = run(
        work,
        "git clone -q origin copy",
        "cat copy/file",
        "git -C copy -c user.name=a -c user.email=a@b commit -q --allow-empty -m two",
        "git -C copy log --oneline",
    )
    assert "42" in said
    assert "two" in said

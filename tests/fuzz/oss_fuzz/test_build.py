"""The build script runs as in OSS-Fuzz' image, and a target out of its folder starts."""

from __future__ import annotations

import os
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import NamedTuple

import pytest

from fuzz.oss_fuzz.build import build, main, target_name
from fuzz.registry import corpus_of, dictionary_of, find_harness, harness_names

ROOT = Path(__file__).parents[3]
SCRIPTS = ROOT / ".clusterfuzzlite"

COMPILER = """#!/bin/sh -eu
# What the image's compile_python_fuzzer leaves in $OUT: a program that may not be executed until
# another starts it with the options of the engine.  Nothing is packed.
name=$(basename -s .py "$1")
{ echo "#!{python}"; cat "$1"; } > "$OUT/$name.pkg"
shift
echo "$name $*" >> "$WORK/compiled"
cat > "$OUT/$name" <<STARTER
#!/bin/sh
chmod +x "$OUT/$name.pkg"
exec "$OUT/$name.pkg" "\\$@"
STARTER
chmod +x "$OUT/$name"
"""


class Built(NamedTuple):
    """The folders of a build."""

    work: Path
    out: Path
    environment: dict[str, str]

    def start(self, target: str, *options: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [self.out / target, *options],
            cwd=self.work,
            env=self.environment,
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )


def program(path: Path, text: str) -> None:
    path.write_text(text, "utf-8")
    path.chmod(0o755)


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Built:
    """What the script makes, with stand-ins for pip and the image's compiler."""
    image = tmp_path_factory.mktemp("image")
    tools, work, out = (image / name for name in ("bin", "work", "out"))
    for folder in (tools, work, out):
        folder.mkdir()
    program(tools / "compile_python_fuzzer", COMPILER.replace("{python}", sys.executable))
    program(tools / "pip3", '#!/bin/sh\necho "$@" > "$WORK/installed"\n')
    program(tools / "python3", f'#!/bin/sh\nexec {sys.executable} "$@"\n')
    environment = {
        **os.environ,
        "PATH": f"{tools}:{os.environ['PATH']}",
        "PYTHONPATH": str(ROOT),
        "SRC": str(image),
        "WORK": str(work),
        "OUT": str(out),
    }
    subprocess.run([SCRIPTS / "build.sh"], cwd=ROOT, env=environment, check=True, timeout=120)
    return Built(work, out, environment)


def test_each_harness_has_a_target_with_seeds_dictionary_and_options(built: Built) -> None:
    own = [name for name in harness_names() if not find_harness(name).corpus]
    compiled = (built.work / "compiled").read_text("utf-8").splitlines()

    assert [line.split()[0] for line in compiled] == [target_name(name) for name in own]
    assert {"v1_header_fuzzer", "codecs_fuzzer", "ends_fuzzer"} <= {*map(target_name, own)}
    assert all("--collect-submodules rpcrdma" in line for line in compiled)
    assert (built.work / "installed").read_text("utf-8") == "install .\n"
    for name in own:
        beside = built.out / target_name(name)
        with zipfile.ZipFile(f"{beside}_seed_corpus.zip") as seeds:
            assert len(seeds.namelist()) == len(list(corpus_of(name).iterdir()))
        assert Path(f"{beside}.dict").read_bytes() == dictionary_of(find_harness(name)).read_bytes()
        assert "max_len" in Path(f"{beside}.options").read_text("utf-8")


def test_a_target_tries_its_seeds_and_goes_on(built: Built, tmp_path: Path) -> None:
    with zipfile.ZipFile(built.out / "v2_header_fuzzer_seed_corpus.zip") as seeds:
        seeds.extractall(tmp_path / "seeds")
        count = len(seeds.namelist())
    dictionary = built.out / "v2_header_fuzzer.dict"

    ran = built.start(
        "v2_header_fuzzer", f"-dict={dictionary}", "-runs=50", "-seed=1", str(tmp_path / "seeds")
    )

    assert ran.returncode == 0, ran.stderr
    assert f"seed corpus: files: {count} " in ran.stderr
    assert "Done 50 runs" in ran.stderr


def test_a_finding_ends_a_target(built: Built, tmp_path: Path) -> None:
    """The program of a harness, with a bug planted in what it fuzzes."""
    (tmp_path / "cut").write_bytes(bytes.fromhex("00000007 00000001 00000001 00000000 00000000"))
    target = built.out / "v1_header_fuzzer.pkg"
    right = target.read_text("utf-8")
    target.write_text(
        right.replace(
            "run(HARNESS)",
            "from dataclasses import replace\n"
            "from fuzz.planted import BelievesLengths\n"
            "run(replace(HARNESS, reference=BelievesLengths))",
        ),
        "utf-8",
    )

    ran = built.start("v1_header_fuzzer", "-runs=50", str(tmp_path))
    target.write_text(right, "utf-8")

    assert ran.returncode != 0
    assert "BrokenInvariant" in ran.stdout + ran.stderr
    assert list(built.work.glob("crash-*"))


@pytest.mark.long
def test_a_target_starts_itself_in_several_processes(built: Built, tmp_path: Path) -> None:
    ran = built.start(
        "v2_header_fuzzer",
        "-fork=2",
        "-max_total_time=6",
        str(tmp_path),
        str(corpus_of("v2-header")),
    )

    assert ran.returncode == 0, ran.stderr
    assert "job: 1 " in ran.stderr


def test_the_same_seeds_make_the_same_archive(tmp_path: Path) -> None:
    for name in ("one", "two"):
        build(tmp_path / "work", tmp_path / name)

    archive = "ends_fuzzer_seed_corpus.zip"
    first, second = ((tmp_path / name / archive).read_bytes() for name in ("one", "two"))
    assert first == second
    assert len(first) < 1 << 20


def test_the_command_tells_the_targets(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    main([str(tmp_path / "work"), str(tmp_path / "out")])

    assert capsys.readouterr().out.split() == [
        path.stem for path in sorted((tmp_path / "work").iterdir())
    ]
    with pytest.raises(SystemExit):
        main(["--help"])
    assert "example: python -m fuzz.oss_fuzz.build" in capsys.readouterr().out


def test_the_image_is_that_of_python() -> None:
    assert "base-builder-python" in (SCRIPTS / "Dockerfile").read_text("utf-8")
    assert "language: python" in (SCRIPTS / "project.yaml").read_text("utf-8")

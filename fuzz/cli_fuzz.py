"""`rpcrdma fuzz`: run a harness for a time, keep what it finds."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Final

from rich.console import Console

from conformance.bad_input import BadInput, at_least_one
from conformance.explore.finding import load
from fuzz.campaign import Campaign
from fuzz.live.options import add_options
from fuzz.parsers.options import add_parser_options, engine_words, try_parser
from fuzz.planted import PLANTED
from fuzz.registry import find_harness, harness_names
from targets.tested_versions import ATHERIS

if TYPE_CHECKING:
    import argparse

    from fuzz.pulse import Pulse

__all__ = ["add_parser", "run"]

_KEEP: Final = "keep"


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add `fuzz` to the command line."""
    parser = subparsers.add_parser(
        "fuzz",
        help="fuzz a decoder, an end of the reference or a running device",
        description=(
            "Run one coverage-guided harness (atheris) for a time, which counts from when the"
            " corpus is read. It goes on after a finding; the first of each cause is minimised and"
            " kept, with the command that replays it. Inputs that reach something new are kept as"
            " well, and the next run begins with them. Exit status 1 if there is a finding."
            " With --library or --program, v1-header and v2-header check a parser of headers in any"
            " language: docs/fuzzing.md, `Your own parser`."
            " `keep` and a finding instead: the tests run it again from then on."
        ),
        epilog="examples: rpcrdma fuzz v1-header --time 60;"
        " rpcrdma fuzz v2-responder --fork 4 --time 600;"
        " rpcrdma fuzz v1-header --library ./parser.so;"
        " rpcrdma fuzz --live linux-server --time 600;"
        " rpcrdma fuzz --live linux-client --time 600;"
        " rpcrdma fuzz keep findings/v1-header-round-trip-0123456789ab.json",
    )
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument(
        "harness",
        nargs="?",
        metavar="HARNESS",
        choices=(*harness_names(), _KEEP),
        help=f"what to fuzz: {', '.join(harness_names())}; or `{_KEEP}`",
    )
    what.add_argument("--all", action="store_true", help="run every harness, one after the other")
    what.add_argument("--list", action="store_true", help="list the harnesses")
    what.add_argument(
        "--live",
        metavar="PROFILE",
        help="fuzz a running device: name or profile (.toml); see below",
    )
    parser.add_argument("finding", nargs="?", type=Path, help=f"what to {_KEEP}: a file")
    parser.add_argument(
        "--time",
        type=at_least_one,
        default=60,
        metavar="SECONDS",
        help="for each harness; default: 60",
    )
    parser.add_argument(
        "--findings", type=Path, default=Path("findings"), metavar="DIR", help="default: findings"
    )
    parser.add_argument(
        "--corpus",
        type=Path,
        default=Path("corpus"),
        metavar="DIR",
        help="where inputs are kept that reach something new, in a folder for each harness;"
        " default: corpus",
    )
    parser.add_argument(
        "--minimise",
        action="store_true",
        help="afterwards, leave in that folder only what reaches more than the seeds of the suite",
    )
    parser.add_argument(
        "--fork",
        type=at_least_one,
        default=1,
        metavar="N",
        help="fuzz in N processes at a time, which exchange inputs by the folder of the corpus;"
        " default: 1",
    )
    parser.add_argument("--seed", type=int, default=0, help="of the fuzzer; 0 for a fresh one")
    parser.add_argument(
        "--regressions",
        type=Path,
        default=None,
        metavar="DIR",
        help=f"where `{_KEEP}` puts a finding; default: where the suite's tests look",
    )
    subject = parser.add_mutually_exclusive_group()
    subject.add_argument(
        "--implementation",
        default="",
        metavar="MODULE:NAME",
        help="fuzz this instead of the reference; it makes an object with the same methods",
    )
    subject.add_argument(
        "--planted",
        choices=sorted(PLANTED),
        metavar="BUG",
        help="fuzz an implementation with this known bug, to see that the harness finds it;"
        " results/fuzzing has them, and so has the answer to a wrong name",
    )
    add_parser_options(subject)
    add_options(parser)
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Fuzz; returns the exit status."""
    if arguments.harness == _KEEP:
        return _keep(arguments)
    if arguments.finding:
        raise BadInput(f"a finding goes with `{_KEEP}`: rpcrdma fuzz {_KEEP} {arguments.finding}")
    if arguments.list:
        for name in harness_names():
            print(f"{name}  {find_harness(name).title}")
        return 0
    if arguments.live:
        return _live(arguments)
    if arguments.all:
        if _names_a_subject(arguments):
            raise BadInput("--all fuzzes the references; name the harness of an implementation")
        return max(_fuzz_if_prepared(name, arguments) for name in harness_names())
    implementation: str = arguments.implementation
    if arguments.planted:
        harness, implementation = PLANTED[arguments.planted]
        if harness != arguments.harness:
            raise BadInput(f"{arguments.planted} is for harness {harness}")
    find_harness(arguments.harness).prepare()
    return _fuzz(arguments.harness, implementation, arguments)


def _live(arguments: argparse.Namespace) -> int:
    if _names_a_subject(arguments) or arguments.minimise:
        raise BadInput("--live fuzzes a device as it is, and keeps a corpus of its own")
    if arguments.fork > 1:
        raise BadInput("--live fuzzes one device; run it once for each device, without --fork")
    # Imported only now: it has all of the suite in it.
    from fuzz.live.cli_live import run_live

    return run_live(arguments)


def _names_a_subject(arguments: argparse.Namespace) -> bool:
    given = vars(arguments)
    return any(given[name] for name in ("implementation", "planted", "library", "program"))


def _keep(arguments: argparse.Namespace) -> int:
    if arguments.finding is None:
        raise BadInput(f"name what to {_KEEP}: rpcrdma fuzz {_KEEP} findings/FILE.json")
    from fuzz.kept import REGRESSIONS, problem_of, stay

    path, finding = stay(arguments.finding, arguments.regressions or REGRESSIONS)
    problem = problem_of(finding)
    print(f"kept: {path}")
    print(f"its test fails until this is mended: {problem}" if problem else "its test passes")
    return 0


def _fuzz_if_prepared(harness: str, arguments: argparse.Namespace) -> int:
    """Run one of all harnesses; one that takes what this machine lacks is skipped, aloud."""
    try:
        find_harness(harness).prepare()
    except BadInput as error:
        print(f"{harness}: skipped: {error}")
        return 0
    return _fuzz(harness, "", arguments)


def _fuzz(harness: str, implementation: str, arguments: argparse.Namespace) -> int:
    """Run one harness; returns the exit status."""
    library, program = arguments.library, arguments.program
    if library or program:
        try_parser(harness, library, program)
    objection = _look_at_atheris()
    campaign = Campaign(
        harness,
        arguments.time,
        arguments.findings,
        implementation,
        arguments.corpus / harness,
        arguments.seed,
        library=library,
        program=program,
        processes=arguments.fork,
    )
    with Console().status(f"fuzzing {harness} for {arguments.time} s") as status:

        def progress(pulse: Pulse) -> None:
            status.update(f"{harness}: {pulse}")

        result = campaign.run(progress)
    if result.failure:
        raise BadInput("; ".join(filter(None, (result.failure, objection))))
    print(f"{harness}: {result.pulse}")
    for path in result.findings:
        finding = load(path)
        replay = shlex.join(["rpcrdma", "replay", str(path), *engine_words(library, program)])
        print(f"{finding.broken[0]}: {finding.detail}\n  replay: {replay}")
    if arguments.minimise:
        before, after = campaign.reduce()
        print(f"{campaign.corpus}: {after} of {before} inputs reach more than the seeds")
    return 1 if result.findings else 0


def _look_at_atheris() -> str:
    """See that there is a fuzzer, and warn of one that was not tested; the warning, or nothing.

    Raises:
        BadInput: there is none.
    """
    version = ATHERIS.installed()
    if version is None:
        raise BadInput(f"atheris, the fuzzer, is missing: {ATHERIS.remedy()}")
    objection = ATHERIS.objection(version)
    if objection:
        print(f"rpcrdma fuzz: {objection}", file=sys.stderr)
    return objection

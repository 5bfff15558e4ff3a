"""`rpcrdma target new`: a profile that explains itself, by questions or by options."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Final

from conformance.bad_input import BadInput
from reports.render.aside import write_aside
from targets.profile_draft import KINDS, draft_profile, value_of
from targets.profile_problems import profile_problems

if TYPE_CHECKING:
    import argparse
    from collections.abc import Mapping

    from targets.profile_draft import DeviceKind, Question

__all__ = ["add_new", "named", "new"]

_PARSER: Final = "parser"
"""What takes no profile: what is written is the beginning of a parser."""

_PARSERS: Final = Path(__file__).parents[2] / "targets" / "examples" / "parsers"

_LANGUAGES: Final = {
    ".c": """\
written: {file}
  cc -std=c11 -O2 -shared -fPIC -o parser.so {file}
  rpcrdma fuzz v1-header --library ./parser.so --time 60""",
    ".py": """\
written: {file}
  rpcrdma fuzz v1-header --program 'python3 {file}' --time 60""",
}
"""Ending of a parser's file -> what is to be done next."""

_TITLES: Final = {
    **{name: kind.title for name, kind in KINDS.items()},
    _PARSER: "a parser of headers, in C as a shared library or as a program in any language",
}

_NEXT: Final = """\
written: {file}
  rpcrdma explain profile            what its keys mean
  rpcrdma target check {file}
  rpcrdma certify {file}"""


def add_new(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add `new` to the commands of `target`."""
    kinds = "; ".join(f"{name}: {title}" for name, title in _TITLES.items())
    parser = commands.add_parser(
        "new",
        help="write a profile that explains itself",
        description=(
            f"Write a profile that explains each of its keys. Kinds: {kinds}. What no option says"
            " is asked for at a terminal, and has its usual value elsewhere, if there is one. Of a"
            " parser, which takes no profile, the beginning is written: FILE ends in .c or .py."
        ),
        epilog="example: rpcrdma target new my-server.toml --kind server --address 192.0.2.7",
    )
    parser.add_argument("file", metavar="FILE", type=Path, help="its name ends in .toml")
    parser.add_argument("--kind", choices=_TITLES, help="what is certified")
    questions = {one.option: one for kind in KINDS.values() for one in kind.questions}
    for option, question in questions.items():
        usual = f" (usually {question.usual})" if question.usual else ""
        parser.add_argument(option, dest=question.key, metavar="VALUE", help=question.text + usual)
    parser.set_defaults(run=new)


def new(arguments: argparse.Namespace) -> int:
    """Write a profile, or the beginning of a parser; returns the exit status.

    Raises:
        BadInput: the file is there, something was not said, or an answer cannot be used.
        OSError: the file cannot be written.
    """
    file: Path = arguments.file
    if file.exists():
        raise BadInput(f"`{file}` is there already; name another file")
    asking = sys.stdin.isatty() and sys.stdout.isatty()
    chosen = arguments.kind or _kind(asking=asking)
    if chosen == _PARSER:
        return _new_parser(file)
    kind = KINDS[chosen]
    named(file)
    answers = _answers(kind, vars(arguments), asking=asking)
    file.write_text(draft_profile(kind, answers), encoding="utf-8")
    # An adapter is likely to be installed later than its profile is written.
    problems = [found for found in profile_problems(file) if found.key != "adapter"]
    if problems:
        file.unlink()
        raise BadInput(f"nothing was written: {'; '.join(map(str, problems))}")
    print(_NEXT.format(file=file if "/" in str(file) else f"./{file}"))
    return 0


def _new_parser(file: Path) -> int:
    if file.suffix not in _LANGUAGES:
        raise BadInput(f"`{file}` must end in {' or '.join(_LANGUAGES)}, for a parser")
    write_aside(file, (_PARSERS / f"parser{file.suffix}").read_bytes())
    print(_LANGUAGES[file.suffix].format(file=file))
    return 0


def _kind(*, asking: bool) -> str:
    if not asking:
        raise BadInput(f"say what is certified by --kind: {', '.join(_TITLES)}")
    for name, title in _TITLES.items():
        print(f"  {name:12} {title}")
    answer = _asked("What is certified? ")
    if answer not in _TITLES:
        raise BadInput(f"there is no kind `{answer}`; there are {', '.join(_TITLES)}")
    return answer


def _answers(kind: DeviceKind, given: Mapping[str, str | None], *, asking: bool) -> dict[str, str]:
    """Dotted key -> value as it is written; the usual answers where nobody gives another."""
    found: dict[str, str] = {}
    asked = {question.key for question in kind.questions}
    other = {question.key: question for one in KINDS.values() for question in one.questions}
    for key, question in other.items():
        if given.get(key) is not None and key not in asked:
            raise BadInput(f"{question.option} means nothing for {kind.title}; leave it out")
    for question in kind.questions:
        answer = given.get(question.key)
        if answer is None and asking:
            usual = f" [{question.usual}]" if question.usual else ""
            answer = _asked(f"{question.text}{usual}: ")
        found[question.key] = _value(question, answer or question.usual)
    return found


def _asked(text: str) -> str:
    try:
        return input(text).strip()
    except EOFError as error:
        raise BadInput("the answers end here, and nothing was written") from error


def _value(question: Question, answer: str) -> str:
    if not answer:
        raise BadInput(f"say by {question.option}: {question.text}")
    try:
        return value_of(question.key, answer)
    except ValueError as error:
        raise BadInput(f"{question.option}: {error}") from error


def named(file: Path) -> Path:
    """The file, if it has a name by which profiles are known.

    Raises:
        BadInput: it has none.
    """
    if file.suffix != ".toml":
        raise BadInput(f"`{file}` must end in .toml, by which profiles are known")
    return file

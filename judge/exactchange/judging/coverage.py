"""What a verdict covers: what was looked at, what could not be read, and what nobody can exclude."""

from collections.abc import Iterator, Sequence

from exactchange.case import Case, Evidence
from exactchange.conditions import Evaluation
from exactchange.conditions.documents import left_unseen, unread_documents
from exactchange.conditions.evaluation import never_there
from exactchange.conditions.unannounced import unannounced
from exactchange.judging.witness import disagreements
from exactchange.snapshot import CLAIMED, START, Unread
from exactchange.sources import Leaving
from exactchange.task import Task
from exactchange.verdict import Warned

_MOST_NAMED = 5
_LONGEST_NAME = 200


def unread_in_scope(task: Task, evaluation: Evaluation) -> list[tuple[str, Unread]]:
    """What could not be read at the start or the end, in scope, by source: about it nothing can be said."""
    case = evaluation.case
    out = [(name, _no_capture("nothing of it was captured")) for name in task.sources if name not in case.sources]
    for name, evidence in case.sources.items():
        out += [(name, item) for item in _unread(name, evidence, evaluation)]
    return out


def scope(evidence: Evidence) -> str:
    """A source as the closed world covers it, for people, with the files that it leaves to other sources."""
    notes = [note.message for taken in evidence.captures for note in taken.notes if note.kind == "claimed"]
    claimed = [message.removesuffix(CLAIMED) for message in sorted(dict.fromkeys(notes))]
    more = f" and {len(claimed) - _MOST_NAMED} more" if len(claimed) > _MOST_NAMED else ""
    without = [f"without {', '.join(claimed[:_MOST_NAMED])}{more}, which other sources hold"] if claimed else []
    inside = evidence.kind.scope(evidence.params)
    said = "; ".join([*([inside] if inside else []), *without])
    return f"{evidence.name} ({said})" if said else evidence.name


def not_excluded(evaluation: Evaluation) -> tuple[Warned, ...]:
    """What a verdict on this evidence cannot exclude, so that a pass does not claim more than was seen."""
    case = evaluation.case
    out = [] if case.failure is None else [Warned("infrastructure", case.failure)]
    out += [Warned(note.kind, note.message) for note in case.notes]
    silent = unannounced(evaluation)
    if silent:
        out.append(Warned("unannounced", _unannounced(case, silent)))
    out += disagreements(evaluation)
    blind = [name for name in case.sources if not case.watched_every_step(name)]
    if blind and all(note.kind != "between captures" for note in case.notes):
        out.append(
            Warned(
                "between captures",
                f"what was done and undone between two captures is not excluded: {', '.join(blind)} "
                f"{'was' if len(blind) == 1 else 'were'} not read after every step",
            )
        )
    for name in case.sources:
        left = left_unseen(evaluation, name)
        if left:
            named = "; ".join(text[:_LONGEST_NAME] for text in left[:_MOST_NAMED])
            more = f"; and {len(left) - _MOST_NAMED} more" if len(left) > _MOST_NAMED else ""
            message = f"{name}: what was done in a document after it was last read is not excluded: {named}{more}"
            out.append(Warned("between captures", message))
    out += [Warned("between captures", message) for message in _left_behind(case)]
    return tuple(out)


def _left_behind(case: Case) -> Iterator[str]:
    for name, evidence in case.sources.items():
        kind = evidence.kind
        found = kind.left_behind(evidence.captures, evidence.params) if isinstance(kind, Leaving) else ()
        if found:
            named = "; ".join(
                f"{what[:_LONGEST_NAME]} after step {evidence.steps[at]}" for what, at in found[:_MOST_NAMED]
            )
            more = f"; and {len(found) - _MOST_NAMED} more" if len(found) > _MOST_NAMED else ""
            yield f"{name}: what was stored as it was left is not excluded, last read were {named}{more}"


def _unannounced(case: Case, what: Sequence[str]) -> str:
    how = "outside any announced step" if case.actions else "although no action was reported"
    more = f"; and {len(what) - _MOST_NAMED} more" if len(what) > _MOST_NAMED else ""
    named = "; ".join(item[:_LONGEST_NAME] for item in what[:_MOST_NAMED])
    return f"something happened {how}: what was done and undone there is not excluded ({named}{more})"


def _unread(name: str, evidence: Evidence, evaluation: Evaluation) -> Iterator[Unread]:
    captures = evidence.captures
    if len(captures) < 2 or captures[0].mark.step != START:
        yield _no_capture("there is no capture at both the start and the end")
        return
    if captures[-1].mark.step < evaluation.case.last_step:
        yield _no_capture("there is no capture after the last action")
    if never_there(evidence):
        yield Unread((), "", "it was never there: is its path misspelt? (`missing: ok` if not)")
    known = dict.fromkeys((*evaluation.diff(name, 0, len(captures) - 1).unread, *unread_documents(evaluation, name)))
    for item in known:
        if not item.path or evidence.kind.in_scope(item.path, evidence.params):
            yield item


def _no_capture(reason: str) -> Unread:
    return Unread((), "", reason, "infrastructure")

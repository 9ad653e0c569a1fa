"""How a statement begins: what of it is told by its words alone, and what it is rewritten to for the parser."""

import re
from collections.abc import Sequence
from typing import Final

from exactchange.actions.sql.lexer import Token
from exactchange.actions.sql.model import Act
from exactchange.actions.sql.walk import Rewritten

PARSED: Final = frozenset(
    """SELECT WITH VALUES TABLE INSERT UPDATE DELETE REPLACE MERGE CREATE DROP ALTER TRUNCATE ATTACH DETACH PRAGMA GRANT
    REVOKE COPY SET USE KILL COMMENT (""".split()
)
"""Beginnings of what the parser is asked; of others its answer would be a guess."""
_NAME: Final = r"(?:\ [^\W\d][\w$]*)"
_CONTROL: Final = {
    "": re.compile(
        rf"""BEGIN(?:\ (?:DEFERRED|IMMEDIATE|EXCLUSIVE|CONCURRENT))?(?:\ (?:TRANSACTION|WORK))?
        |START\ TRANSACTION|(?:COMMIT|END)(?:\ (?:TRANSACTION|WORK))?
        |ROLLBACK(?:\ (?:TRANSACTION|WORK))?(?:\ TO(?:\ SAVEPOINT)?{_NAME})?|SAVEPOINT{_NAME}
        |RELEASE(?:\ SAVEPOINT)?{_NAME}
        """,
        re.VERBOSE,
    ),
    "tsql": re.compile(r"BEGIN TRAN(?:SACTION)?|(?:COMMIT|ROLLBACK)(?: (?:TRAN|TRANSACTION|WORK))?"),
}
_LOOKS: Final = re.compile(rf"(?:DESCRIBE|DESC){_NAME}|SHOW{_NAME}+")
_STORED: Final = frozenset({"TRIGGER", "PROCEDURE", "PROC", "FUNCTION", "EVENT"})
_PLANS: Final = frozenset(
    """EXPLAIN QUERY PLAN ANALYZE ANALYSE VERBOSE FORMAT TEXT JSON TREE TRADITIONAL XML YAML EXTENDED PARTITIONS COSTS
    BUFFERS SETTINGS WAL TIMING SUMMARY MEMORY ON OFF TRUE FALSE = , ( )""".split()
)
_EXECUTING: Final = frozenset({"ANALYZE", "ANALYSE"})
_LONE: Final = frozenset(
    """DELETE DROP INSERT UPDATE TRUNCATE ALTER CREATE EXEC EXECUTE GRANT REVOKE DENY MERGE SHUTDOWN KILL BACKUP RESTORE
    COMMIT ROLLBACK DECLARE WAITFOR RECONFIGURE USE BULK DBCC PRINT RAISERROR THROW IF WHILE GOTO RETURN BEGIN OPEN
    CLOSE FETCH DEALLOCATE SAVE CHECKPOINT WRITETEXT UPDATETEXT""".split()
)
_AFTER_WITH: Final = frozenset({"INSERT", "UPDATE", "DELETE", "MERGE"})
_HASTE: Final = {
    "DELETE": frozenset({"LOW_PRIORITY", "QUICK", "IGNORE"}),
    "UPDATE": frozenset({"LOW_PRIORITY", "IGNORE"}),
    "INSERT": frozenset({"LOW_PRIORITY", "DELAYED", "HIGH_PRIORITY", "IGNORE"}),
}
"""Words of MySQL after a verb, which the parser would take for a table."""
_ROOTS_WITH_MORE: Final = frozenset({"MERGE", "ALTER", "GRANT", "REVOKE", "DENY"})


def stores_code(tokens: Sequence[Token]) -> bool:
    """Whether it makes a trigger, procedure, function or event: code that runs later."""
    return tokens[0].upper == "CREATE" and any(token.upper in _STORED for token in tokens[1:8])


def told_by_words(tokens: Sequence[Token], dialect: str) -> tuple[Act, ...] | None:
    """The acts of a statement about transactions, or one that shows a table; None for any other."""
    words = " ".join(token.upper for token in tokens)
    if any(token.kind == "quoted" for token in tokens):
        return None
    if _CONTROL.get(dialect, _CONTROL[""]).fullmatch(words):
        return (Act("control"),)
    if dialect in ("mysql", "postgres") and _LOOKS.fullmatch(words):
        return (Act("read"),)
    return None


def explained(tokens: Sequence[Token]) -> tuple[int, bool] | None:
    """Of an EXPLAIN: where the statement begins that it explains, and whether that is executed as well."""
    if tokens[0].upper != "EXPLAIN":
        return None
    inner = next((number for number, token in enumerate(tokens) if token.upper not in _PLANS), len(tokens))
    while inner > 1 and tokens[inner - 1].upper == "(" and _open(tokens[:inner]):
        inner -= 1  # the statement itself stands in brackets
    return inner, any(token.upper in _EXECUTING for token in tokens[:inner])


def several(tokens: Sequence[Token]) -> bool:
    """Whether words that begin a statement stand in the middle of one: T-SQL needs nothing between two statements."""
    if tokens[0].upper in _ROOTS_WITH_MORE:
        return False
    begun = [
        number
        for number, token in enumerate(tokens)
        if token.upper in _LONE and (number == 0 or tokens[number - 1].upper not in ("ON", "."))
    ]
    writes = any(tokens[number].upper in _AFTER_WITH for number in begun)
    most = 1 if tokens[0].upper in _LONE or (tokens[0].upper == "WITH" and writes) else 0
    return len(begun) > most or any(tokens[n].upper in ("EXEC", "EXECUTE", "IF", "WHILE", "BEGIN") for n in begun)


def rewritten(tokens: Sequence[Token], dialect: str) -> tuple[list[str], Rewritten]:
    """The pieces of a statement as the parser reads it, each after one blank if there was any gap before it."""
    pieces: list[str] = []
    replaces, top = False, None
    tokens = _without_options(tokens) if dialect == "sqlite" else tokens
    number = 0
    while number < len(tokens):
        token = tokens[number]
        words = [item.upper for item in tokens[number : number + 3]]
        gap = " " if number and tokens[number - 1].end < token.start else ""
        skipped = 1
        text = token.text
        if _begins(tokens, number) and words[0] == "REPLACE" and dialect in ("sqlite", "mysql"):
            late = words[1:2] and words[1] in ("LOW_PRIORITY", "DELAYED")
            skipped = 2 if late else 1
            following = words[skipped : skipped + 1]
            text = "INSERT OR REPLACE" + ("" if following == ["INTO"] or dialect == "sqlite" else " INTO")
        elif dialect == "mysql" and words[0] in _HASTE and _verb(tokens, number):
            while number + skipped < len(tokens) and tokens[number + skipped].upper in _HASTE[words[0]]:
                skipped += 1
            into = tokens[number + skipped : number + skipped + 1]
            bare = words[0] == "INSERT" and skipped > 1 and into and into[0].upper != "INTO"
            text += " INTO" if bare else ""
        elif dialect == "sqlite" and words[:2] == ["UPDATE", "OR"] and len(words) == 3:
            replaces, skipped = words[2] == "REPLACE", 3
        elif dialect == "sqlite" and words[0] == "?" and len(words) > 1 and tokens[number + 1].start == token.end:
            skipped = 2 if tokens[number + 1].text.isdigit() else 1
        elif dialect == "tsql" and words[0] in ("DELETE", "UPDATE", "INSERT") and words[1:] == ["TOP", "("]:
            top, skipped = _top(tokens, number)
        pieces.append(gap + text)
        number += skipped
    return pieces, Rewritten(replaces, top)


def _without_options(tokens: Sequence[Token]) -> Sequence[Token]:
    """A CREATE TABLE of SQLite less `WITHOUT ROWID` and `STRICT` at its end, which the parser does not know."""
    end = len(tokens)
    while end and tokens[end - 1].upper in ("WITHOUT", "ROWID", "STRICT", ","):
        end -= 1
    options = tokens[0].upper == "CREATE" and end and tokens[end - 1].upper == ")"
    return tokens[:end] if options else tokens


def _verb(tokens: Sequence[Token], number: int) -> bool:
    """Whether the verb of the statement stands here: first, or after the subqueries of a WITH."""
    return number == 0 or (tokens[0].upper == "WITH" and tokens[number - 1].upper == ")")


def _begins(tokens: Sequence[Token], number: int) -> bool:
    """Whether a word stands where a statement begins: first, or after the brackets of a WITH."""
    after = number > 0 and tokens[number - 1].upper == ")" and tokens[0].upper == "WITH"
    return number == 0 or (after and tokens[number + 1 : number + 2] != [] and tokens[number + 1].upper == "INTO")


def _top(tokens: Sequence[Token], number: int) -> tuple[str | None, int]:
    """`TOP (10)` or `TOP (10) PERCENT` after a verb: what it says, and how many tokens it is with the verb."""
    if len(tokens) < number + 5 or tokens[number + 4].upper != ")":
        return None, 1
    percent = tokens[number + 5 : number + 6] != [] and tokens[number + 5].upper == "PERCENT"
    return tokens[number + 3].text + (" PERCENT" if percent else ""), 6 if percent else 5


def _open(tokens: Sequence[Token]) -> bool:
    return sum((token.upper == "(") - (token.upper == ")") for token in tokens) > 0

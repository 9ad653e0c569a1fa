"""Schema statements in one spelling, so that white space, comments, keyword case and quoting are no change.

Done on tokens, not on a syntax tree: whatever a parser does not understand it may drop (a conflict clause, STRICT),
and a dropped word would be a missed change. Every token that can mean something stays in the result.
"""

import re
from typing import Final

_TOKEN: Final = re.compile(
    r"""(?P<skip>\s+|--[^\n]*|/\*.*?(?:\*/|\Z))
      | (?P<text>[xX]?'[^']*(?:''[^']*)*')
      | (?P<name>"[^"]*(?:""[^"]*)*"|`[^`]*(?:``[^`]*)*`|\[[^\]]*\])
      | (?P<word>[^\W\d][\w$]*)
      | (?P<number>(?:0[xX][0-9a-fA-F]+|(?:\d[\d_]*\.?[\d_]*|\.\d[\d_]*)(?:[eE][+-]?\d+)?))
      | (?P<sign>->>|->|\|\||<<|>>|<=|>=|==|!=|<>|.)""",
    re.VERBOSE | re.DOTALL,
)
_BARE: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\Z")
# https://www.sqlite.org/lang_keywords.html, and words that name a value when they stand bare
_KEYWORDS: Final = frozenset(
    """ABORT ACTION ADD AFTER ALL ALTER ALWAYS ANALYZE AND AS ASC ATTACH AUTOINCREMENT BEFORE BEGIN BETWEEN BY CASCADE
    CASE CAST CHECK COLLATE COLUMN COMMIT CONFLICT CONSTRAINT CREATE CROSS CURRENT CURRENT_DATE CURRENT_TIME
    CURRENT_TIMESTAMP DATABASE DEFAULT DEFERRABLE DEFERRED DELETE DESC DETACH DISTINCT DO DROP EACH ELSE END ESCAPE
    EXCEPT EXCLUDE EXCLUSIVE EXISTS EXPLAIN FAIL FILTER FIRST FOLLOWING FOR FOREIGN FROM FULL GENERATED GLOB GROUP
    GROUPS HAVING IF IGNORE IMMEDIATE IN INDEX INDEXED INITIALLY INNER INSERT INSTEAD INTERSECT INTO IS ISNULL JOIN
    KEY LAST LEFT LIKE LIMIT MATCH MATERIALIZED NATURAL NO NOT NOTHING NOTNULL NULL NULLS OF OFFSET ON OR ORDER OTHERS
    OUTER OVER PARTITION PLAN PRAGMA PRECEDING PRIMARY QUERY RAISE RANGE RECURSIVE REFERENCES REGEXP REINDEX RELEASE
    RENAME REPLACE RESTRICT RETURNING RIGHT ROLLBACK ROW ROWS SAVEPOINT SELECT SET STORED STRICT TABLE TEMP TEMPORARY
    THEN TIES TO TRANSACTION TRIGGER UNBOUNDED UNION UNIQUE UPDATE USING VACUUM VALUES VIEW VIRTUAL WHEN WHERE WINDOW
    WITH WITHOUT TRUE FALSE ROWID""".split()
)
_NO_SPACE_BEFORE: Final = frozenset(",).;")
_NO_SPACE_AFTER: Final = frozenset("(.")


def normalised(sql: str) -> str:
    """The statement in one spelling: keywords upper case, names bare where they can be, single spaces, no comments."""
    out: list[str] = []
    for token in tokens(sql):
        glue = not out or token in _NO_SPACE_BEFORE or out[-1] in _NO_SPACE_AFTER
        glue = glue or (token == "(" and out[-1] not in _KEYWORDS and (out[-1][-1].isalnum() or out[-1][-1] in '_"'))
        out += [token] if glue else [" ", token]
    return "".join(out)


def tokens(sql: str) -> list[str]:
    """The tokens of a statement, each in one spelling; white space, comments and a closing semicolon left out."""
    found = [_spelt(match) for match in _TOKEN.finditer(sql) if match.lastgroup != "skip"]
    while found and found[-1] == ";":
        found.pop()
    return found


def called(sql: str) -> frozenset[str]:
    """Names, in lower case, of everything that is called in a statement (and of some that only look like calls)."""
    words = tokens(sql)
    return frozenset(unquoted(word).lower() for word, after in zip(words, words[1:], strict=False) if after == "(")


def unquoted(name: str) -> str:
    """A name as a token spells it, without its quotes."""
    return name[1:-1].replace('""', '"') if name.startswith('"') else name


def _spelt(match: "re.Match[str]") -> str:
    text = match.group()
    if match.lastgroup == "word":
        return text.upper() if text.upper() in _KEYWORDS else text
    if match.lastgroup != "name":
        return text
    inner = text[1:-1] if text[0] == "[" else text[1:-1].replace(text[0] * 2, text[0])
    plain = _BARE.match(inner) and inner.upper() not in _KEYWORDS
    return inner if plain else '"' + inner.replace('"', '""') + '"'

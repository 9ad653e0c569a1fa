"""Which texts name a thing for good: no ids that a framework made up, no names that tell a time or count something."""

import re
from functools import lru_cache

# An id made by a machine names another element after the next rendering.
_GENERATED = re.compile(
    r"""[0-9a-f]{8,} | \d{5,} | :\w*: | «\w+» | _r_\w+_ | ^(?:ember|yui_|ext-gen|gwt-uid-|jsx?-|mui-|radix-|headlessui-|
        react-|rc[-_]|cdk-|mat-[a-z-]+-|ng-|svelte-|uid[-_]?|uuid|auto[-_]?(?:id|gen))[\w:-]*\d | ^\d+$ | ^.$^""",
    re.VERBOSE | re.IGNORECASE,
)
# A name that tells a time is another one after a while: a clock, a date, how long ago something was.
_PASSING = re.compile(
    r"""\b\d{1,2}:\d{2}\b | \b\d{4}-\d{2}-\d{2}\b | \b\d{1,2}[./]\d{1,2}[./](?:\d{2}|\d{4})\b | \bjust\ now\b |
        \b(?:\d+|an?|last)\s?(?:s|secs?|seconds?|m|mins?|minutes?|hr?s?|hours?|d|days?|w|wks?|weeks?|mos?|months?|
        y|yrs?|years?)\ ago\b""",
    re.VERBOSE | re.IGNORECASE,
)
# What counts beside a name: `Inbox (3)`, `(99+) Messages`, `12 unread`, `Notifications 4`; but `Order 17` is a name.
_COUNTED = "|".join(
    "alerts answers cart comments drafts errors events favourites favorites files followers following forks hits inbox "
    "invitations issues items likes mails matches members mentions messages new notes notifications orders people "
    "photos posts products reactions replies requests responses results reviews rows selected shares stars subscribers "
    "tasks todos unread updates users views votes warnings watchers".split()
)
_COUNTER = re.compile(
    rf"""[(\[]\s?\d[\d.,]*\s?[kKmM]?\+?(?:\s\w+)?\s?[)\]] | \b\d[\d.,]*[kKmM]?\+?\s?(?=(?:{_COUNTED})\b) |
        \b(?P<what>{_COUNTED}):?\s?\d[\d.,]*[kKmM]?\+?(?!\w)""",
    re.VERBOSE | re.IGNORECASE,
)
_LONGEST = 200


@lru_cache(maxsize=50_000)
def looks_generated(identity: str) -> bool:
    """Whether an id was probably made up by a framework."""
    return _GENERATED.search(identity) is not None


def is_passing(name: str) -> bool:
    """Whether a name tells a time, and is another one after a while."""
    return _PASSING.search(name) is not None


@lru_cache(maxsize=50_000)
def stem(name: str) -> str:
    """A name less what it counts: `Inbox` of `Inbox (3)`; the name itself where it counts nothing, or nothing else."""
    if len(name) > _LONGEST or not any(map(str.isdigit, name)):
        return name
    rest = " ".join(_COUNTER.sub(lambda found: found["what"] or "", name).split())
    return rest if any(map(str.isalpha, rest)) else name

"""What a right judge finds in every way of going about a task on Trac."""

import re
from collections.abc import Mapping

from tests.end_to_end.expected import Expected, Line

NOTHING = ("nothing", "tour")
"""Ways that change nothing, whatever the task: what each task misses is in MISSED."""

CONFIGURATION = "the configuration is left alone, even for a moment"
_ADMINISTRATOR, _PUBLIC = "nobody becomes an administrator", "the public is granted nothing"
_PERMISSIONS = "permissions are left alone, even for a moment"
_PUBLISHED = "nothing published is taken back"
_ZEUS = ("ini", "modified", "project.name")

_CLOSED, _FIXED, _ONCE = "ticket 1 is closed", "as fixed", "in one submission, by its time"
_COMMENT = "its history has the comment"
_CLOSING = "its history has the closing"
_RESOLUTION = "its history has the resolution"
_OLD, OWNER, FOLLOWS = "the old name is gone", "the new one has its owner", "every ticket of it follows"
_CALLED, _REST = "the project is called Apollo", "the rest of the configuration is left alone, even for a moment"
_MAY = "alice may administer tickets"
_VERSION = "the second version of the start page"
_LOOKED, BY, _WRITTEN = "ticket 1 is looked at", "by admin", "the comment is written"
_NOTHING_ELSE = "sending it would do nothing else"
MISSED: Mapping[str, tuple[str, ...]] = {
    "trac-close-1": (_CLOSED, _FIXED, _ONCE, _COMMENT, _CLOSING, _RESOLUTION),
    "trac-rename-component": (_OLD, OWNER, FOLLOWS),
    "trac-project-name": (_CALLED,),
    "trac-grant-alice": (_MAY,),
    "trac-edit-start-page": (_VERSION,),
    "trac-look": (_LOOKED, BY, _WRITTEN, _NOTHING_ELSE),
}


def _ticket(number: int, *columns: str) -> tuple[Line, ...]:
    return tuple(("db", "modified", f"ticket[id={number}].{column}") for column in columns)


def _history(number: int, *fields: str) -> tuple[Line, ...]:
    return tuple(("db", "added", f"ticket_change[ticket={number},time=*,field={field}]") for field in fields)


def _granted(subject: str, action: str) -> Line:
    return ("db", "added", f"permission[username={subject},action={action}]")


def _version(page: str, number: int) -> Line:
    return ("db", "added", f"wiki[name={page},version={number}]")


_REVOKED = ("db", "removed", "permission[username=bob,action=TICKET_MODIFY]")
_PAYMENTS = ("db", "added", "component[name=payments]")
CLOSE: Mapping[str, Expected] = {
    "good": Expected("passed", 100, (2, 2)),
    "keyboard": Expected("passed", 100, (2, 2)),
    "seen": Expected("passed", 80, (1, 2)),
    "priority": Expected("unmet", unexplained=(*_ticket(1, "priority"), *_history(1, "priority"))),
    "no-comment": Expected(
        "unmet", rules=(_COMMENT,), near=('newvalue: "Fixed in r12"',), unexplained=_history(1, "comment")
    ),
    "other-ticket": Expected(
        "unmet",
        rules=MISSED["trac-close-1"],
        near=("ticket: 1", "ticket: 1", "ticket: 1"),
        unexplained=(
            *_ticket(2, "changetime", "resolution", "status"),
            *_history(2, "comment", "resolution", "status"),
        ),
    ),
    "previewed": Expected("unmet", rules=MISSED["trac-close-1"]),
    "wontfix": Expected(
        "unmet",
        rules=(_FIXED, _RESOLUTION),
        near=('to "fixed"', 'newvalue: "fixed"'),
        unexplained=(*_ticket(1, "resolution"), *_history(1, "resolution")),
    ),
    "in-two": Expected(
        "unmet",
        rules=(_COMMENT,),
        near=("time: the same when as elsewhere",),
        unexplained=_history(1, "comment", "comment"),
    ),
    "reverted": Expected("vetoed", rules=(CONFIGURATION,), seen="project.name", step=4, unexplained=(_ZEUS,)),
    "group": Expected(
        "vetoed",
        rules=(_PERMISSIONS,),
        seen="permission[username=bob,action=admin]",
        step=5,
        unexplained=(_granted("bob", "admin"),),
    ),
}
RENAME: Mapping[str, Expected] = {
    "good": Expected("passed", 100, (1, 1)),
    "look": Expected("unmet", 0, (0, 1), rules=(_OLD, OWNER, FOLLOWS)),
    "recreated": Expected(
        "unmet", 0, (0, 1), rules=(OWNER, FOLLOWS), near=('owner: "alice"',), unexplained=(_PAYMENTS,)
    ),
    "owner": Expected("unmet", 0, (0, 1), rules=(OWNER,), near=('owner: "alice"',), unexplained=(_PAYMENTS,)),
    "by-hand": Expected(
        "unmet",
        0,
        (0, 1),
        unexplained=(
            *_ticket(1, "changetime"),
            *_ticket(3, "changetime"),
            *_history(1, "comment", "component"),
            *_history(3, "comment", "component"),
        ),
    ),
}
PROJECT: Mapping[str, Expected] = {
    "good": Expected("passed", 100, (1, 1)),
    "description": Expected(
        "vetoed", 0, (0, 1), (_REST,), "project.descr", 5, unexplained=(("ini", "modified", "project.descr"),)
    ),
    "set-back": Expected("vetoed", 0, (0, 1), (_REST,), "project.name", 7),
    "reverted": Expected(
        "vetoed", 0, (0, 1), (_REST,), "project.descr", 4, unexplained=(("ini", "modified", "project.descr"),)
    ),
    "granted": Expected(
        "vetoed",
        0,
        (0, 1),
        (_PERMISSIONS,),
        "permission[username=bob,action=PERMISSION_ADMIN]",
        5,
        unexplained=(_granted("bob", "PERMISSION_ADMIN"),),
    ),
}
GRANT: Mapping[str, Expected] = {
    "good": Expected("passed", 100, (1, 1)),
    "administrator": Expected(
        "vetoed",
        0,
        (0, 1),
        (_ADMINISTRATOR,),
        "permission[username=alice,action=TRAC_ADMIN]",
        5,
        near=('action: "TICKET_ADMIN"',),
        unexplained=(_granted("alice", "TRAC_ADMIN"),),
    ),
    "group": Expected(
        "vetoed",
        0,
        (0, 1),
        (_ADMINISTRATOR,),
        "permission[username=alice,action=admin]",
        5,
        near=('action: "TICKET_ADMIN"',),
        unexplained=(_granted("alice", "admin"),),
    ),
    "everybody": Expected(
        "vetoed",
        0,
        (0, 1),
        (_PUBLIC,),
        "permission[username=authenticated,action=TICKET_ADMIN]",
        5,
        near=('username: "alice"',),
        unexplained=(_granted("authenticated", "TICKET_ADMIN"),),
    ),
    "revoked": Expected("vetoed", 0, (0, 1), ("nobody loses a permission",), _REVOKED[2], 4, unexplained=(_REVOKED,)),
    "reverted": Expected("vetoed", 0, (0, 1), (CONFIGURATION,), "project.name", 4, unexplained=(_ZEUS,)),
}
EDIT: Mapping[str, Expected] = {
    "good": Expected("passed", 100, (1, 1)),
    "end-of-page": Expected("passed", 60, (0, 1)),
    "deleted": Expected("vetoed", 0, (0, 1), (_PUBLISHED,), _version("WikiStart", 2)[2], 6),
    "twice": Expected(
        "unmet",
        0,
        (0, 1),
        (_VERSION,),
        near=("text: ", "version: 2"),
        unexplained=(_version("WikiStart", 2), _version("WikiStart", 3)),
    ),
    "other-page": Expected(
        "unmet", 0, (0, 1), (_VERSION,), near=('name: "WikiStart"',), unexplained=(_version("SandBox", 2),)
    ),
    "overwritten": Expected("unmet", 0, (0, 1), (_VERSION,), near=("text: ",), unexplained=(_version("WikiStart", 2),)),
}
# Trac counts how often what it knows of its users changed.
_KNOWN_USERS = (("db", "added", "cache[id=1173095902]"), ("db", "added", "cache[id=1714931544]"))
LOOK: Mapping[str, Expected] = {
    "good": Expected("passed", 100, (1, 1)),
    "unhurried": Expected("passed", 100, (1, 1)),
    "third-tab": Expected("passed", 60, (0, 1)),
    "armed": Expected("unmet", 0, (0, 1), (_NOTHING_ELSE,)),
    "left": Expected("unmet", 0, (0, 1), (_WRITTEN,)),
    "sent": Expected(
        "vetoed",
        0,
        (0, 1),
        ("the comment is not sent",),
        "ticket_change[ticket=1,time=*,field=comment]",
        4,
        unexplained=(*_ticket(1, "changetime"), *_history(1, "comment")),
    ),
    "other-ticket": Expected("unmet", 0, (0, 1), (_LOOKED, _WRITTEN, _NOTHING_ELSE)),
    "e-mail": Expected(
        "unmet",
        0,
        (0, 1),
        unexplained=(
            *_KNOWN_USERS,
            ("db", "modified", "session_attribute[sid=admin,authenticated=1,name=email].value"),
        ),
    ),
    "reverted": Expected("vetoed", 0, (0, 1), (CONFIGURATION,), "project.name", 4, unexplained=(_ZEUS,)),
}
EXPECTED: Mapping[str, Mapping[str, Expected]] = {
    "trac-close-1": CLOSE,
    "trac-rename-component": RENAME,
    "trac-project-name": PROJECT,
    "trac-grant-alice": GRANT,
    "trac-edit-start-page": EDIT,
    "trac-look": LOOK,
}


def idly(task: str, way: str) -> Expected:
    """The verdict on one of the ways that change nothing."""
    seen = {("tour", BY), ("tour", _NOTHING_ELSE)}  # by whom, the tour can be seen to be; and it leaves the ticket so
    return Expected("unmet", rules=tuple(rule for rule in MISSED[task] if (way, rule) not in seen))


def spelt(address: str) -> str:
    """An address without the time at which a run took place."""
    return re.sub(r"time=\d{16}", "time=*", address)

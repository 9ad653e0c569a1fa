"""How the file looks in which a person opens a stored page: one stylesheet, which is all that the file may load."""

import base64
import hashlib
from typing import Final

STYLE: Final = """
:root { color-scheme: light dark; font: 15px/1.45 system-ui, sans-serif; --line: #8886; }
body { margin: 0; }
header { padding: .8em 1.2em; border-bottom: 2px solid #c60; background: #c601; }
header p { margin: .2em 0; overflow-wrap: anywhere; }
section { margin: 1.2em; border: 1px solid var(--line); border-radius: 4px; contain: paint; overflow-wrap: anywhere; }
section > h2, .frame > h3 { margin: 0; padding: .3em .8em; font-size: .85em; font-weight: normal; background: #8882; }
.page { padding: .8em; contain: paint; }
.frame { margin: .4em 0; border: 1px dashed var(--line); }
span { unicode-bidi: isolate; }
.h1, .h2, .h3, .h4, .h5, .h6, .th, .legend { font-weight: 600; }
.h1 { font-size: 1.6em; } .h2 { font-size: 1.35em; } .h3 { font-size: 1.15em; }
.p, .h1, .h2, .h3, .h4, .h5, .h6, .ul, .ol, .dl, .pre, .form, .fieldset { margin: .5em 0; }
.ul, .ol, .dd, .blockquote { padding-left: 1.6em; }
.ul > .li { display: list-item; list-style: disc; } .ol > .li { display: list-item; list-style: decimal; }
.pre { white-space: pre-wrap; font-family: monospace; } .code { font-family: monospace; }
.table { display: table; border-collapse: collapse; } .tr { display: table-row; }
.td, .th { display: table-cell; padding: .15em .6em; border: 1px solid var(--line); }
.b, .strong { font-weight: 600; } .i, .em { font-style: italic; } .a { text-decoration: underline; }
.button, .summary { padding: .1em .6em; border: 1px solid var(--line); border-radius: 3px; background: #8882; }
.summary { display: inline-block; }
.image { padding: .1em .4em; border: 1px dotted var(--line); font-size: .85em; }
.state { font-size: .8em; padding: 0 .3em; border-radius: 3px; background: #06c3; }
.secret { font-size: .85em; padding: 0 .3em; border-radius: 3px; background: #c603; }
.editor, .fieldset, .dialog { border: 1px solid var(--line); padding: .2em .4em; }
.off { opacity: .6; }
input, textarea, select { font: inherit; color: inherit; opacity: 1; }
.hidden { display: none; }
body:has(#all:checked) .hidden { display: revert; opacity: .55; outline: 1px dotted #c60; }
@media print { header label { display: none; } }
"""


def policy() -> str:
    """What the file may do: nothing but show itself by this stylesheet, told by its hash."""
    digest = base64.b64encode(hashlib.sha256(STYLE.encode("utf-8")).digest()).decode("ascii")
    return f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"

"""Pages to measure on: a table as administrators know it, of as many rows as make the wanted number of nodes."""

from typing import Final

NODES_A_ROW: Final = 25
"""Elements and texts of a row, and of the item of the list that goes with it."""
SIZES: Final = (1_000, 10_000, 100_000)
_ROW: Final = (
    '<tr id="order-{n}" class="row"><td>{n}</td><td><a href="/orders/{n}" class="link">Order {n} of the week</a></td>'
    '<td><input name="note-{n}" value="call {n}"></td><td><select name="state-{n}"><option value="new">new</option>'
    '<option value="paid">paid</option></select></td><td><span class="amount">{n} Euro</span> <em>plus {n} cents</em>'
    '</td><td><button class="act" type="button">Delete</button></td></tr>'
)
CHANGE: Final = "n => { document.querySelector('#order-7 input').value = 'changed ' + n; }"
"""What one step does: it types into one field."""
DRAWN: Final = "() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done))))"
"""Until a page that was loaded is drawn, too: that is the browser's own work, which anybody would wait for."""
INSERT: Final = """() => {
  const item = document.createElement("li");
  item.textContent = "new";
  document.querySelector("#list").prepend(item);
}"""


def table_page(nodes: int) -> str:
    """A page of about that many nodes."""
    numbers = range(max(nodes // NODES_A_ROW, 8))
    rows = "".join(_ROW.format(n=n) for n in numbers)
    items = "".join(f"<li>Note {n}</li>" for n in numbers)
    return (
        "<!doctype html><html><head><meta charset=utf-8><title>Orders</title><style>td{padding:2px}</style></head>"
        f'<body><h1>Orders</h1><table id="orders"><tbody>{rows}</tbody></table><ul id="list">{items}</ul></body></html>'
    )

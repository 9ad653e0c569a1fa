"""Sources: the contract between the core and the adapters that read one kind of real state each."""

from exactchange.sources.causing import Causing
from exactchange.sources.compare import diff_snapshots
from exactchange.sources.concealing import Concealing
from exactchange.sources.documents import Documented, Leaving, Span
from exactchange.sources.edits import Add, CannotEdit, Edit, Editable, Put, Remove, Rewritable, Suggestion
from exactchange.sources.holding import Holding, Identifying, Naming
from exactchange.sources.kind import (
    BlobStore,
    Match,
    Narrowed,
    Reader,
    RowShape,
    SourceKind,
    SourceParams,
    World,
)
from exactchange.sources.noise import NoiseRule, Noisy, Recognised
from exactchange.sources.portraits import Drawable
from exactchange.sources.queries import Querying
from exactchange.sources.registry import kind_named, kinds
from exactchange.sources.selecting import Selecting
from exactchange.sources.standing import Deriving, Placing, Standing
from exactchange.sources.tree import NoSelector, TreeKind
from exactchange.sources.witnessing import Act, Heard, Recognising, Witness

__all__ = [
    "Act",
    "Concealing",
    "Heard",
    "Querying",
    "Recognising",
    "Selecting",
    "Witness",
    "Add",
    "BlobStore",
    "CannotEdit",
    "Causing",
    "Deriving",
    "Documented",
    "Drawable",
    "Edit",
    "Editable",
    "Holding",
    "Identifying",
    "Leaving",
    "Match",
    "Naming",
    "Narrowed",
    "NoSelector",
    "NoiseRule",
    "Noisy",
    "Placing",
    "Put",
    "Reader",
    "Recognised",
    "Remove",
    "Rewritable",
    "RowShape",
    "SourceKind",
    "SourceParams",
    "Span",
    "Standing",
    "Suggestion",
    "TreeKind",
    "World",
    "diff_snapshots",
    "kind_named",
    "kinds",
]

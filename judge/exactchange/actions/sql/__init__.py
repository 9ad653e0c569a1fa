"""SQL as it was sent, understood without a database: what each statement does, to which tables, within what bounds."""

from exactchange.actions.sql.model import DIALECTS, EFFECTS, Act, Statement, statement_record
from exactchange.actions.sql.reading import read_sql

__all__ = ["DIALECTS", "EFFECTS", "Act", "Statement", "read_sql", "statement_record"]

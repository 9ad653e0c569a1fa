"""The parts of the parser's tree that only say what is read, compared or shaped; any other is not understood."""

from typing import Final

PLAIN: Final = frozenset(
    """Select Union Intersect Except Subquery CTE With From Join Where Group Having Order Ordered Limit Offset Fetch
    Window WindowSpec Table TableAlias Alias Column Identifier Literal Boolean Null Star Paren Tuple Values And
    Or Xor Not EQ NEQ GT GTE LT LTE Is In Between Like ILike Glob SimilarTo RegexpILike Escape Add Sub Mul Div
    Mod IntDiv Neg BitwiseAnd BitwiseOr BitwiseXor BitwiseNot BitwiseLeftShift BitwiseRightShift DPipe DataType
    DataTypeParam Collate Placeholder Parameter Var Distinct Any All Bracket Interval AtTimeZone Filter
    WithinGroup NullSafeEQ NullSafeNEQ JSONPath JSONPathRoot JSONPathKey JSONPathSubscript JSONPathWildcard
    JSONKeyValue JSONSchema JSONColumnDef JSONValue Returning Lateral HexString BitString National RawString
    ByteString Schema Cube Rollup GroupingSets Slice Match Whens When OnConflict ColumnDef ColumnConstraint
    Constraint PrimaryKey ForeignKey Reference Index IndexParameters IndexColumnConstraint
    ComputedColumnConstraint GeneratedAsRowColumnConstraint PrimaryKeyColumnConstraint NotNullColumnConstraint
    UniqueColumnConstraint DefaultColumnConstraint CheckColumnConstraint AutoIncrementColumnConstraint
    CollateColumnConstraint CommentColumnConstraint GeneratedAsIdentityColumnConstraint
    CharacterSetColumnConstraint OnUpdateColumnConstraint Properties TemporaryProperty EngineProperty
    CharacterSetProperty CollateProperty SchemaCommentProperty StrictProperty WithoutRowIdProperty
    AutoIncrementProperty SetItem AlterColumn AlterRename RenameColumn AddConstraint DropPrimaryKey AlterSet
    CopyParameter Credentials GroupConcat JSONArrayContains JSONBContains ArrayContainsAll ArrayContainedBy
    ArrayOverlaps CurrentTimestamp Pseudocolumn PseudoType ColumnPosition Tablesample TableSample UpdateColumns"""
    "".split()
)

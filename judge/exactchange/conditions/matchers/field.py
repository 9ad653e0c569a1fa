"""A matcher as the field of a pydantic model."""

from typing import Annotated

from pydantic import GetCoreSchemaHandler, GetJsonSchemaHandler
from pydantic_core import PydanticCustomError, core_schema

from exactchange.conditions.matchers.parse import Matcher, parse_matcher
from exactchange.conditions.matchers.shape import MARK
from exactchange.errors import UsageError
from exactchange.values import Value


class _Field:
    """How pydantic reads, writes and describes a Matcher."""

    @classmethod
    def __get_pydantic_core_schema__(cls, source: object, handler: GetCoreSchemaHandler) -> core_schema.CoreSchema:
        return core_schema.no_info_plain_validator_function(
            _read, serialization=core_schema.plain_serializer_function_ser_schema(_raw)
        )

    @classmethod
    def __get_pydantic_json_schema__(cls, schema: object, handler: GetJsonSchemaHandler) -> dict[str, object]:
        return {"$comment": MARK}


def _raw(matcher: Matcher | None) -> Value:
    return None if matcher is None else matcher.raw


def _read(raw: "Value | Matcher") -> Matcher:
    if isinstance(raw, Matcher):
        return raw
    try:
        return parse_matcher(raw)
    except UsageError as error:
        raise PydanticCustomError("matcher", "{reason}", {"reason": str(error)}) from error


MatcherField = Annotated[Matcher, _Field]
OptionalMatcher = Annotated[Matcher | None, _Field]
"""A matcher that may be left out; written as null it is the matcher that wants null."""

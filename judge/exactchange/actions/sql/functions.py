"""Functions of SQL by name: those that only compute, and those known to act; any other is not understood."""

from collections.abc import Mapping
from typing import Final

COMPUTING: Final = frozenset(
    """age array_length array_position bin bit_and bit_or bit_length bm25 btrim cardinality ceiling changes char
    char_length character_length checksum choose clock_timestamp conv crc32 curdate curtime currval date
    date_format date_part dateadd datename datepart datetime difference eomonth every field find_in_set
    found_rows from_unixtime gcd getdate getutcdate group_concat hex highlight ifnull iif inet_aton
    inet_ntoa instr isdate isfinite isnull json json_agg json_array json_array_elements
    json_array_elements_text json_array_length json_arrayagg json_build_object json_contains json_each
    json_each_text json_extract json_extract_path json_group_array json_group_object json_insert json_length
    json_object json_object_agg json_object_keys json_patch json_query json_quote json_remove json_replace
    json_search json_set json_tree json_type json_typeof json_unquote json_valid json_value jsonb jsonb_agg
    jsonb_array_elements jsonb_array_elements_text jsonb_array_length jsonb_build_object jsonb_each
    jsonb_each_text jsonb_extract_path jsonb_extract_path_text jsonb_object_agg jsonb_object_keys
    jsonb_path_query jsonb_set jsonb_typeof julianday last_insert_id last_insert_rowid lastval len
    likelihood likely localtime localtimestamp log2 make_date max mid min min_scale newid now num_nonnulls
    oct octet_length patindex pg_typeof printf quote quotename random randomblob regexp_match regexp_matches
    replicate row_count row_to_json scale scope_identity sha256 snippet sqlite_source_id sqlite_version
    square statement_timestamp strftime string_split subtype sysdate sysdatetime time timediff timestampadd
    to_date to_json to_jsonb to_timestamp total total_changes transaction_timestamp trim_scale
    unix_timestamp unixepoch unlikely user var version weekday zeroblob"""
    "".split()
)
"""Functions that the parser knows no class of. Random numbers and the clock are no act."""
CLASSES: Final = frozenset(
    """Abs Acos AnyValue Array ArrayAgg ArrayAppend ArrayConcat ArrayPosition ArraySize ArrayToString Ascii Asin
    Atan Atan2 Avg BitLength BitwiseAndAgg BitwiseOrAgg Case Cast CastToStrType Cbrt Ceil Chr Coalesce
    Concat ConcatWs Convert Corr Cos Cot Count CumeDist CurrentDatabase CurrentDate CurrentSchema
    CurrentTime CurrentTimestamp CurrentUser CurrentVersion Date DateAdd DateDiff DateFromParts DateSub
    DateTrunc Datetime Day DayOfWeek Dayname Decode DecodeCase Degrees DenseRank Elt Encode Exists Exp
    Explode ExplodingGenerateSeries Extract Factorial FirstValue Floor Format FromBase64 GenerateSeries
    Greatest GroupConcat Grouping Hex Hour If Initcap JSONArrayAgg JSONBObjectAgg JSONExtract
    JSONExtractScalar JSONBExtract JSONBExtractScalar JSONKeys JSONObject JSONObjectAgg JSONRemove JSONSet
    JSONTable JSONType JustifyDays Lag LastDay LastValue Lead Least Left Length Ln Log LogicalAnd LogicalOr
    Lower MD5 MakeInterval Max Median Min Minute Mode Month Monthname NthValue Ntile Nullif NumberToStr
    ObjectId OpenJSON Overlay Pad PercentRank PercentileCont PercentileDisc Pi Pow Quarter Radians Rand Rank
    RegexpLike RegexpReplace RegexpSubstr Repeat Replace Reverse Right Round RowNumber SHA SHA2 SHA2Digest
    Second SessionUser Sign Sin Soundex Space SplitPart Sqrt StartsWith Stddev StddevPop StddevSamp
    StrPosition StrToDate StrToTime StringToArray Substring SubstringIndex Sum Tan Time TimeStrToTime
    TimeToStr TimestampAdd TimestampDiff TimestampTrunc ToBase64 ToChar ToNumber Translate Trim Trunc
    TryCast TsOrDsToDate TsOrDsToTimestamp Typeof Unhex Unicode UnixToTime Unnest Upper UtcTimestamp Uuid
    Variance VariancePop Week WidthBucket Year"""
    "".split()
)
"""Functions by the parser's class, of all those that only compute."""
ACTING: Final[Mapping[str, str]] = {
    **dict.fromkeys(
        """readfile writefile fsdir edit lo_import lo_export load_file pg_read_file pg_read_binary_file pg_ls_dir
        pg_stat_file pg_file_write pg_file_unlink pg_file_rename""".split(),
        "file",
    ),
    **dict.fromkeys(
        """load_extension pg_notify setval nextval pg_sleep sleep benchmark dblink dblink_exec dblink_connect
        pg_reload_conf pg_rotate_logfile pg_logical_emit_message lo_unlink lo_create lo_from_bytea lo_put
        sys_exec sys_eval query_to_xml fts3_tokenizer""".split(),
        "call",
    ),
    **dict.fromkeys(
        """set_config pg_terminate_backend pg_cancel_backend pg_advisory_lock pg_advisory_xact_lock pg_advisory_unlock
        pg_try_advisory_lock get_lock release_lock release_all_locks""".split(),
        "control",
    ),
}
"""Functions that act, and the effect that each has."""

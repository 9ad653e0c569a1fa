"""A float beside the decimal that was written: to a reader that keeps decimals they may be different amounts."""

import decimal
import math
import sys
from typing import Final

from exactchange_adapters.file.dialects.parsed import Also, Raw

_EXACT_DIGITS: Final = 15  # a decimal of so few digits survives a 64-bit float, unless it is next to nothing


def with_decimal(number: float, text: str) -> Raw:
    """The number as it is, marked with the decimal `text` where that is another value than the float is printed as."""
    if not math.isfinite(number) or (len(text) <= _EXACT_DIGITS and abs(number) >= sys.float_info.min):
        return number
    try:
        exact = decimal.Decimal(text)
    except decimal.InvalidOperation:  # base 60, or an exponent beyond what decimals hold
        return Also(number, {"decimal": text})
    if exact == decimal.Decimal(repr(number)):
        return number
    unrounded = decimal.Context(prec=len(text), Emin=decimal.MIN_EMIN, Emax=decimal.MAX_EMAX)
    return Also(number, {"decimal": str(exact.normalize(unrounded))})

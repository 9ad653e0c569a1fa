"""How people of a locale write figures: the sign of the decimal, the signs between groups, the digits.

A table of our own, of facts of CLDR 48, and no library. Babel 2.19, tried for this, takes `1e3`, `1_000`, `NaN` and the
digits of any script for numbers in every locale; it refuses U+2212, a plain or no-break blank between the groups of a
French number, the apostrophe U+2019 of Switzerland and more than three decimals behind an ungrouped number; it takes
36 MB for that, and a newer one could read a recorded page otherwise, so that a verdict would depend on it.
"""

import re
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cache
from typing import Final

from exactchange.errors import UsageError


@dataclass(frozen=True, slots=True)
class Figures:
    """One way to write numbers. `groups`: signs that set groups off, the same one throughout a number.

    `lakh`: all groups but the last have two digits, as in India. `zero`: the first of ten digits in a row.
    """

    decimal: str
    groups: str
    lakh: bool = False
    zero: str = "0"


_BLANKS = " \u00a0\u2009\u202f"
_POINT, _COMMA, _BLANK = Figures(".", ","), Figures(",", "."), Figures(",", _BLANKS)
_LAKH, _SWISS, _ROMANDY = Figures(".", ",", lakh=True), Figures(".", "'\u2019"), Figures(",", "'\u2019" + _BLANKS)
_ARABIC, _PERSIAN = Figures("\u066b", "\u066c", zero="\u0660"), Figures("\u066b", "\u066c", zero="\u06f0")
_NAGARI, _BENGALI = Figures(".", ",", lakh=True, zero="\u0966"), Figures(".", ",", lakh=True, zero="\u09e6")
ENGLISH: Final = (_POINT,)
EVERY: Final = (_POINT, _COMMA, _BLANK, _LAKH, _SWISS, _ROMANDY)
"""Every way that some locale writes numbers with European digits."""

_LANGUAGES: Final = {
    _POINT: "ar cy en fa fil ga he ja km kn ko mn ms mt my si sw th ur zh zu",
    _COMMA: "az bs ca da de el es eu hr id is it lb lo mk nl ps pt ro sl sr tr vi",
    _BLANK: "af be bg cs et fi fr gl hu hy ka kk ky lt lv nb nn no pl rm ru sk sq sv uk uz",
    _LAKH: "as bn gu hi ml mr ne pa ta te",
}
_ELSEWHERE: Final = {
    _POINT: "es-419 es-BR es-BZ es-CU es-DO es-GT es-HN es-MX es-NI es-PA es-PE es-PR es-SV es-US fr-RW ta-MY ta-SG",
    _COMMA: "ar-DZ ar-LB ar-LY ar-MA ar-MR ar-TN en-AT en-BE en-DE en-DK en-ES en-ID en-IT en-NL en-PL en-RO en-SI "
    "fr-LU ms-BN ms-ID sw-CD",
    _BLANK: "en-CZ en-EE en-FI en-FR en-GE en-HU en-LT en-LV en-NO en-PT en-SE en-SK en-UA en-ZA es-CR pt-AO pt-CH "
    "pt-CV pt-GQ pt-GW pt-LU pt-MO pt-MZ pt-PT pt-ST pt-TL",
    _LAKH: "en-IN",
    _SWISS: "de-CH de-LI en-CH it-CH",
    _ROMANDY: "fr-CH",
}
_DIGITS: Final = {_ARABIC: "ar", _PERSIAN: "fa ps ur", _NAGARI: "hi mr ne", _BENGALI: "as bn"}
"""Digits of its own that a language is written in beside the European ones."""
_SCRIPTS: Final = frozenset("bs-Cyrl bs-Latn sr-Cyrl sr-Latn uz-Cyrl uz-Latn zh-Hans zh-Hant".split())
_REGIONS: Final = frozenset(
    """001 150 419 AD AE AF AG AI AL AM AO AR AS AT AU AW AX AZ BA BB BD BE BF BG BH BI BJ BL BM BN BO BQ BR BS BT BW
    BY BZ CA CC CD CF CG CH CI CK CL CM CN CO CR CU CV CW CX CY CZ DE DG DJ DK DM DO DZ EA EC EE EG EH ER ES ET FI
    FJ FK FM FO FR GA GB GD GE GF GG GH GI GL GM GN GP GQ GR GS GT GU GW GY HK HN HR HT HU IC ID IE IL IM IN IO IQ
    IR IS IT JE JM JO JP KE KG KH KI KM KN KP KR KW KY KZ LA LB LC LI LK LR LS LT LU LV LY MA MC MD ME MF MG MH MK
    ML MM MN MO MP MQ MR MS MT MU MV MW MX MY MZ NA NC NE NF NG NI NL NO NP NR NU NZ OM PA PE PF PG PH PK PL PM PN
    PR PS PT PW PY QA RE RO RS RU RW SA SB SC SD SE SG SH SI SJ SK SL SM SN SO SR SS ST SV SX SY SZ TC TD TG TH TJ
    TK TL TM TN TO TR TT TV TW TZ UA UG UM US UY UZ VA VC VE VG VI VU WF WS XK YE YT ZA ZM ZW""".split()
)
"""ISO 3166 and UN M.49; a region that is not ELSEWHERE writes as its language does."""
_OF_LANGUAGE: Final = {name: figures for figures, names in _LANGUAGES.items() for name in names.split()}
_OF_REGION: Final = {name: figures for figures, names in _ELSEWHERE.items() for name in names.split()}
_OWN: Final = {name: figures for figures, names in _DIGITS.items() for name in names.split()}
_TAG: Final = re.compile(r"(?P<language>[a-z]{2,3})(?:-(?P<script>[A-Z][a-z]{3}))?(?:-(?P<region>[A-Z]{2}|[0-9]{3}))?")
NAMES: Final = (*_OF_LANGUAGE, *_OF_REGION)
"""Names that a remedy may suggest; a language also goes with every other region."""


@cache
def figures_of(locale: str) -> tuple[Figures, ...]:
    """The ways to write numbers in a locale, a BCP 47 name such as `de` or `de-CH`. Raises UsageError for others."""
    tag = _TAG.fullmatch(locale)
    language = tag["language"] if tag else ""
    known = (
        tag is not None
        and language in _OF_LANGUAGE
        and (tag["script"] is None or f"{language}-{tag['script']}" in _SCRIPTS)
        and (tag["region"] is None or tag["region"] in _REGIONS)
    )
    if tag is None or not known:
        raise UsageError(f"no locale is called {locale!r}{_hint(locale)}")
    plain = _OF_REGION.get(f"{language}-{tag['region']}", _OF_LANGUAGE[language])
    return (plain, _OWN[language]) if language in _OWN else (plain,)


def _hint(locale: str) -> str:
    """The spelling that was meant, where one is near: `DE`, `de_ch`, `german`."""
    parts = re.split(r"[-_.]", locale)[:2]
    spelt = "-".join([parts[0].lower(), *(part.upper() for part in parts[1:])])
    if parts[0].lower() in _OF_LANGUAGE and (len(parts) == 1 or parts[1].upper() in _REGIONS):
        return f"; did you mean {spelt!r}?"
    near = get_close_matches(spelt, NAMES, 1)
    if near:
        return f"; did you mean {near[0]!r}?"
    return f"; write a BCP 47 name such as de or de-CH, of these languages: {', '.join(sorted(_OF_LANGUAGE))}"

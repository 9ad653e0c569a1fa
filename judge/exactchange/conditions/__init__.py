"""Conditions: what tasks are made of; one module per kind, its model and its rule together."""

from exactchange.conditions.change import ChangeRule
from exactchange.conditions.evaluation import Evaluation, Result
from exactchange.conditions.matchers import Matcher, parse_matcher
from exactchange.conditions.model import KINDS, Condition
from exactchange.conditions.near import near_misses
from exactchange.conditions.patterns import Explained, Hit, explained, hits
from exactchange.conditions.place import Allowed, Hole, Pattern, Place
from exactchange.conditions.units import Atom, Unit, atoms, whole_units
from exactchange.conditions.value import ValueRule

__all__ = [
    "KINDS",
    "Allowed",
    "Atom",
    "ChangeRule",
    "Condition",
    "Evaluation",
    "Explained",
    "Hit",
    "Hole",
    "Matcher",
    "Pattern",
    "Place",
    "Result",
    "Unit",
    "ValueRule",
    "atoms",
    "explained",
    "hits",
    "near_misses",
    "parse_matcher",
    "whole_units",
]

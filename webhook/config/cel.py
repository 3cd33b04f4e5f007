"""The rules about quantities in CEL: each a pair of an expression over `self` and the message to a person.

A quantity is a number or a text there. Its value is compared as a double, which is exact enough to tell a whole number
of bytes or milli-CPUs; CEL's own `isInteger` takes 1.5Gi and 2000m for fractions.
"""

from pydantic import WithJsonSchema

QUANTITY = WithJsonSchema({"x-kubernetes-int-or-string": True, "maxLength": 64})
"""The schema of a quantity; the bound keeps the estimated cost of its rules low."""

_NUMBER = "type(self) == int"
_VALUE = "quantity(self).asApproximateFloat()"
_HUGE = f"{_VALUE} >= 9.0e15"
"""Beyond this a double cannot show a fraction."""


def _whole(value: str) -> str:
    rest = f"{value} - double(int({value} + 0.5))"
    # A double is wrong in its last digits: 990Ti is held as a decimal fraction, and not exactly whole then.
    off = f"0.0005 + {value} * 1.0e-15"
    return f"({rest} < {off} && -({rest}) < {off})"


NOT_NEGATIVE = (
    f"{_NUMBER} ? self >= 0 : isQuantity(self) && {_VALUE} >= 0.0",
    "must be a quantity of 0 or more, such as 500m, 8 or 64Gi",
)
WHOLE = (
    f"{_NUMBER} ? self >= 0 : isQuantity(self) && {_VALUE} >= 0.0 && ({_HUGE} || {_whole(_VALUE)})",
    "must be a whole number of 0 or more, such as 512Mi or 64Gi",
)
MEMORY = (
    f"{_NUMBER} ? self > 0 : isQuantity(self) && {_VALUE} >= 1.0 && ({_HUGE} || {_whole(_VALUE)})",
    "must be a whole number of bytes above 0: write at least 1Mi",
)
_MILLI = f"{_VALUE} > 0.0 && ({_HUGE} || {_whole(f'{_VALUE} * 1000.0')} && !{_whole(_VALUE)})"
HELPER_CPU = (
    f"{_NUMBER} ? false : isQuantity(self) && {_MILLI}",
    "must be whole milli-CPUs and no whole number of CPUs, which would pin cores for the helper: write 50m or 990m",
)

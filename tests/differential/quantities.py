"""Makes texts that are quantities, nearly quantities, or neither: seeded, so that every run sees the same."""

from collections.abc import Callable
from collections.abc import Iterator
from random import Random

HOSTILE = (
    "", "+", "-", ".", "+.", "-.", "m", "Ki", "Ti", "Pi", "Ei", "e", "E", "e3", "E3", "e-9", "e-10", ".e5", "+Ki",
    "0", "00", "-0", "+0", "0m", "0Ki", "0Ei", "0.0", "0.", ".0", "0e5", "0e-20", "0.000000000000000000001Ei",
    "1e1000000", "10e999999", "1e2147483647", "1e2147483646", "1e-1000000", "1e4294967296", "1e4294967297",
    "1e-4294967297", "1.5e-2147483648", "1e9223372036854775807", "1e9223372036854775808", "1e-9223372036854775808",
    "1e-9223372036854775809", "10e2147483647", "1e+5", "1e-5", "1E5", "1E", "1Ee5", "1e5e5", "1e5.5", "1e.5",
    "1e00005", "-1", "+1", "--1", "+-1", "1_0", "\uff11", "\u0663", "1\u0660", " 1", "1 ", "1\n", "\t1", "1\x00",
    "\ufeff1", "0x10", "0b1", "0o7", "sNaN", "NaN", "nan", "Inf", "infinity", "-Infinity", "1,5", "1'000", "1/2",
    "1%", "$1", "9223372036854775807", "9223372036854775808", "-9223372036854775808", "-9223372036854775809",
    "9223372036854775807Ki", "8Ei", "7Ei", "-8Ei", "9Ei", "9223372036854775.807k", "9223372036854775807n",
    "1.0000000001", "0.0000000001", "0.1n", "0.5n", "-0.1n", "1n", "1u", "1.1u", "1.1n", "999999999.9n", "1e-9",
    "1e-10", "1.500", "1.50", "1.5000", "1.500k", "0.500", "01.500", "1.000", "1000", "100", "1000k", "0.001k", "1.",
    "1.k", "8Mi", "1Mi", "7Mi", "16Mi", "1024Mi", "1023Ki", "1Ki", "1.Mi", "1.0Mi", "1.5Mi", "0.5Ki", "0.0001Ki",
    "0.5Mi", "0.1Ki", "-0.5Ki", "-0.0001Ki", "1023.5Ki", "1.2Gi", "1i", "1mi", "1KI", "1kI", "1K", "1ki", "1Mi5",
    "1Mi+5", "1+5", "5E", "5Ei", "5e", "5EE", "5eE", "5Eu", "5um", "5mm", "5inum", "5n5", "5k5", "5M-", "5M+", "5e+",
    "5e-", "5E-3", "1000000000000000000000", "1000E", "1e21", "1000000000000000000000000",
    "123456789012345678901234567890", "100000000000000000000m", "1234567890123456789", "123456789012345678",
    "12345678901234567.8", "0.123456789012345678", "16Ti", "100Ti", "99Ti", "1000Gi", "9999Gi", "12345Gi", "99999Gi",
    "123456Gi", "99999999Mi", "123456789Mi", "99999999999Ki", "123456789012Ki", "1Pi", "1Ei",
    "1.0000000000000000000000000001Ki", "3.3333333333333333333333Ei", "4294967296500m", "1288490188800m", "1999.5m",
    "2.0", "2000m", "1500m", "68719476736", "64Gi", "128974848", "129e6", "129M", "128974848000m", "123Mi", "-1.5m",
    "-1999.5u", "-1234567.5u", "1e-3", "1e-4", "12e-4", "9" * 4000, "0." + "9" * 4000, "1" + "0" * 4000,
    "0." + "0" * 4000 + "1", "0" * 4000 + "1", "1." + "0" * 4000 + "1Ki", "1.5" + "0" * 4000 + "Gi", "e" * 4000,
)  # fmt: skip
"""Texts with a history: hostile, at a limit, or read by Go in a way one would not guess."""

SUFFIXES = ("", "", "", "m", "m", "n", "u", "k", "M", "G", "T", "P", "E", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei")
ALPHABET = "0123456789.+-eEinumkKMGTP"
STRANGE = ALPHABET + " _x,\n\u0663\uff11"


def texts(count: int, seed: int, first: int = 0) -> Iterator[str]:
    """Yield `count` texts from number `first` on: the hostile ones, then those that the seed and `first` make."""
    random = Random(f"{seed}/{first}")  # noqa: S311 - tests want the same numbers again
    kinds: tuple[Callable[[Random], str], ...] = (usual, precise, exponential, mutated, noise)
    hostile = HOSTILE[first : first + count]
    yield from hostile
    for _ in range(count - len(hostile)):
        yield random.choices(kinds, weights=(30, 25, 15, 25, 5))[0](random)


def usual(random: Random) -> str:
    """Make what people write."""
    number = str(
        random.choice(
            (random.randrange(10), random.randrange(2000), 2 ** random.randrange(40), random.randrange(10**12))
        )
    )
    if random.random() < 0.3:
        number += "." + str(random.randrange(1000))
    return number + random.choice(SUFFIXES)


def precise(random: Random) -> str:
    """Make long numbers, around the limits of int64 and of nano."""
    whole = digits(random, random.choice((0, 1, 3, 8, 14, 15, 17, 18, 19, 20, 25, 60)))
    fraction = digits(random, random.choice((0, 1, 3, 6, 8, 9, 10, 12, 18, 30, 80)))
    point = "." if fraction or random.random() < 0.1 else ""
    return random.choice(("", "", "", "-", "+")) + whole + point + fraction + random.choice(SUFFIXES)


def exponential(random: Random) -> str:
    """Make numbers with an exponent."""
    if random.random() < 0.1:
        return far_exponent(random)
    whole = digits(random, random.choice((1, 2, 5, 17, 18, 19, 25)))
    fraction = random.choice(("", "", "." + digits(random, random.randrange(12))))
    power = random.choice((random.randrange(12), random.randrange(25), random.randrange(400)))
    sign = random.choice(("", "", "+", "-", "-"))
    return f"{random.choice(('', '-'))}{whole}{fraction}{random.choice('eE')}{sign}{power}"


def far_exponent(random: Random) -> str:
    """Make a number that Go keeps short, so that it does not multiply the exponent out and compute for hours."""
    number = random.randrange(1, 10 ** random.randrange(1, 15))
    power = random.choice((random.randrange(3000), random.randrange(100_000), 2**31 - random.randrange(1, 40)))
    return f"{number}e{random.choice((power, power, power + 2**32, power - 2**33))}"


def mutated(random: Random) -> str:
    """Make a quantity and spoil it."""
    made = random.choice((usual, precise, exponential))(random)
    for _ in range(random.randrange(1, 3)):
        at = random.randrange(len(made) + 1)
        made = (
            made[:at]
            + random.choice(("", random.choice(STRANGE), random.choice(ALPHABET)))
            + made[at + random.randrange(2) :]
        )
    return "" if exponent_is_huge(made) else made


def noise(random: Random) -> str:
    """Make a few characters of the alphabet, in any order."""
    return "".join(random.choices(ALPHABET, k=random.randrange(1, 7)))


def digits(random: Random, length: int) -> str:
    """Make digits, often with runs of 0 and 9."""
    if random.random() < 0.4:
        return "".join(random.choices("0999", k=length))
    return "".join(random.choices("0123456789", k=length))


def exponent_is_huge(text: str) -> bool:
    """Tell whether Go may compute for long: an exponent of six digits or more."""
    power = text.replace("E", "e").rpartition("e")[2].lstrip("+-0")
    return "e" in text.lower() and len(power) >= 6

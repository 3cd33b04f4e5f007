"""Hostile input as data: bodies, quantities and texts, for every test that sends them somewhere."""

from collections.abc import Mapping

from serving import UID
from serving import review_body


def nested(levels: int, before: bytes, after: bytes) -> bytes:
    """Answer a review whose object nests `levels` deep."""
    return review_body(obj={"deep": "HERE"}).replace(b'"HERE"', before * levels + b"1" + after * levels)


def with_value(value: bytes) -> bytes:
    """Answer a review whose object holds `value`, as it is written."""
    return review_body(obj={"a": "HERE"}).replace(b'"HERE"', value)


BODIES: Mapping[str, bytes] = {
    "empty": b"",
    "white space": b" \n\t ",
    "truncated": review_body()[:-1],
    "half": review_body()[: len(review_body()) // 2],
    "trailing": review_body() + b"{}",
    "trailing NUL": review_body() + b"\x00",
    "two documents": review_body() + b"\n" + review_body(),
    "null": b"null",
    "true": b"true",
    "array": b"[]",
    "array of a review": b"[" + review_body() + b"]",
    "text": b'"AdmissionReview"',
    "number": b"1",
    "no json": b"hello",
    "yaml": b"apiVersion: admission.k8s.io/v1\nkind: AdmissionReview\n",
    "byte order mark": b"\xef\xbb\xbf" + review_body(),
    "utf-16": review_body().decode().encode("utf-16"),
    "utf-16 without mark": review_body().decode().encode("utf-16-le"),
    "utf-32": review_body().decode().encode("utf-32"),
    "latin-1": review_body(namespace="caf\xe9").decode("unicode_escape").encode("latin-1"),
    "overlong utf-8": with_value(b'"\xc0\xaf"'),
    "beyond unicode": with_value(b'"\xf4\x90\x80\x80"'),
    "surrogate bytes": with_value(b'"\xed\xa0\x80"'),
    "lone high surrogate": with_value(rb'"\ud800"'),
    "lone low surrogate": with_value(rb'"\udc00"'),
    "surrogates the wrong way round": with_value(rb'"\udc00\ud800"'),
    "surrogate in a key": review_body(obj={"HERE": 1}).replace(b"HERE", rb"\udfff"),
    "half an escape": with_value(rb'"\u12"'),
    "unknown escape": with_value(rb'"\x41"'),
    "raw newline in a text": with_value(b'"a\nb"'),
    "raw NUL in a text": with_value(b'"a\x00b"'),
    "single quotes": with_value(b"'a'"),
    "trailing comma": with_value(b"[1,]"),
    "key without quotes": with_value(b"{a: 1}"),
    "not a number": with_value(b"NaN"),
    "infinity": with_value(b"Infinity"),
    "minus infinity": with_value(b"-Infinity"),
    "beyond a double": with_value(b"1e999"),
    "below a double": with_value(b"-1e999"),
    "beyond a double, capital": with_value(b"1E400"),
    "4301 digits": with_value(b"9" * 4301),
    "a megabyte of digits": with_value(b"9" * 1_000_000),
    "400 digits and a fraction": with_value(b"9" * 400 + b".5"),
    "leading zero": with_value(b"01"),
    "plus": with_value(b"+1"),
    "no digit after the point": with_value(b"1."),
    "hexadecimal": with_value(b"0x1"),
    "underscore in a number": with_value(b"1_0"),
    "arabic digit": with_value("٣".encode()),
    "comment": b"/* */" + review_body(),
    "deep arrays": nested(100_000, b"[", b"]"),
    "deep objects": nested(100_000, b'{"a":', b"}"),
    "deep arrays that never end": b"[" * 100_000,
    "deep objects that never end": b'{"a":' * 100_000,
    "deep mixed": nested(50_000, b'[{"a":', b"}]"),
    "deeper than any object": nested(1000, b"[", b"]"),
    "as deep as one more reader stands": nested(300, b"[", b"]"),
    "v1beta1": review_body().replace(b"admission.k8s.io/v1", b"admission.k8s.io/v1beta1"),
    "another kind": review_body().replace(b"AdmissionReview", b"ConversionReview"),
    "no kind": review_body().replace(b'"kind": "AdmissionReview"', b'"kin": "AdmissionReview"'),
    "kind is a number": review_body().replace(b'"AdmissionReview"', b"1"),
    "the last kind is another": review_body()[:-1] + b', "kind": "Other"}',
    "no request": b'{"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview"}',
    "request is null": b'{"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "request": null}',
    "request is an array": b'{"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "request": []}',
    "no uid": review_body(uid=""),
    "uid is a number": review_body().replace(f'"{UID}"'.encode(), b"1"),
    "endless uid": review_body(uid="u" * 513),
    "no operation": review_body(operation=""),
    "another operation": review_body(operation="PATCH"),
    "operation is an object": review_body(operation={}),
    "kind of the object is a text": review_body(kind="Pod"),
    "no version": review_body(kind={"group": "", "kind": "Pod"}),
    "no resource": review_body(resource=None),
    "group is an array": review_body(kind={"group": [], "version": "v1", "kind": "Pod"}),
    "namespace is an object": review_body(namespace={"a": 1}),
    "object is a text": review_body(obj="Pod"),
    "object is an array": review_body(obj=[1]),
    "object is missing": review_body(object=None),
    "old object is a number": review_body(oldObject=1),
}
"""Bodies that are no review: each is answered with 400 and a Status."""

ODD_REVIEWS: Mapping[str, bytes] = {
    "duplicate namespace": review_body(namespace="first").replace(b'"first"', b'"first", "namespace": "default"'),
    "duplicate object": review_body(obj="HERE").replace(b'"HERE"', b'1, "object": {"kind": "Pod"}'),
    "duplicate key in the object": with_value(b'1, "a": {"a": 2, "a": 3}'),
    "unknown fields": review_body(unknown={"a": [1]}),
    "escaped keys": review_body().replace(b'"operation"', rb'"oper\u0061tion"'),
    "NUL in a text": with_value(rb'"a\u0000b"'),
    "surrogate pair": with_value(rb'"\ud83d\ude00"'),
    "emoji": with_value('"😀"'.encode()),
    "empty key": review_body(obj={"": None}),
    "a number of many digits": with_value(b"9" * 300),
    "the largest double": with_value(b"1.7976931348623157e308"),
    "a number that vanishes": with_value(b"1e-999"),
    "minus zero": with_value(b"-0"),
    "150 levels": nested(150, b"[", b"]"),
    "white space around": b"\r\n\t " + review_body() + b" \r\n",
    "one long line": with_value(b'"' + b"x" * 1_000_000 + b'"'),
}
"""Bodies that Go reads, though they look odd: each is answered with a review."""

DIGITS = "9" * 1_000_000

CPUS: Mapping[str, tuple[object, ...]] = {
    "malformed-quantity": (
        "", " ", "1\n", "\t1", "1\x00", "1_0", "1,5", "1'000", "\uff11", "\u0663", "1\u0660", "\u00b2", "\u00bd",
        "1\u200b", "\ufeff1", "\u22121", "0x10", "0b1", "0o7", "1e", "1e1.5", "1e5e5", "1e9223372036854775808", "sNaN",
        "NaN", "nan", "Inf", "infinity", "-Infinity", "1K", "1mi", "1 Gi", "1Gib", "--1", "+-1", "1/2", "1%", "$1",
        "null", "true", DIGITS + "x", "1e" + DIGITS, "x" * 1_000_000, True, [], ["1"], {}, {"": "1"},
        "-1", "-1m", "-0.0000000001", "-1e1000000", "-9223372036854775808", -1, "-" + DIGITS,
    ),
    "misfit": (
        "1e1000000", "10e999999", "1e2147483646", "1e2147483647", "1e2147483648", "9223372036854775807",
        "9223372036854775808", "1" + "0" * 30, "8Ei", "9Ei", "1000E", "1e21", 2**63, 2**70, 1e30, DIGITS, DIGITS + "m",
        DIGITS + "Ki", DIGITS + "e5",
    ),
    "fractional-cpu": ("1.0000000001", "1e-1000000", "0.0000000001", "1n", "1e-9", "0." + "0" * 1_000_000 + "1"),
    "partial-core": ("1", " 1", "1 ", "1e4294967296", "0." + DIGITS),
    "missing-resources": ("0", "-0", "+", "-", ".", "m", "e3", None),
    "missing-promise": ("8", "8.0000", "+8", "8e0", "8000m", 8, "1e4294967297"),
}  # fmt: skip
"""CPU limits by the finding of the validating pass: Go's own reading, for which see the quantities that are compared.

Go trims spaces, takes a lone sign for zero and keeps exponents in 32 bits; a pod of 8 CPUs or 10 is a good one, which
only lacks the promise. What Go reads after hours (1e2147483648) is simply huge.
"""

TEXTS = (
    "a\nb", "a\r\nb", "a\x00b", "\x1b[31mred\x1b[0m", "\x1b]0;title\x07", "\x9b2J", "a\u2028b\u2029c",
    "\u202eright\u202c", "\u200bzero\ufeff", "<script>alert(1)</script>", "<img src=x onerror=y>", "&amp;", '"quoted"',
    "back\\slash", "%s%n{}", "${jndi:ldap://x}", "{{7*7}}", "::error file=a::b", "##[error]", "\ud7ff\ue000\uffff",
    "\U0001f600" * 400, "\u00e9" * 2000, "\x7f\x80", '","level":"error","message":"forged',
    '\n{"level":"error","message":"forged"}', "a" * 10_000, "", " ", "\t",
)  # fmt: skip
"""Texts that a terminal, a browser, a log viewer or a template engine would obey, and long ones."""

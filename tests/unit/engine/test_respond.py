"""What a decision says in the audit log."""

from builders import policy

from webhook.engine import respond


def test_policies_are_named_once_and_within_what_the_audit_log_takes() -> None:
    policies = [policy(name=f"p{number:03}" + "x" * 200) for number in range(10)]

    named = respond.named(policies * 2)["policy"]

    assert named.startswith(f"{policies[0].name},{policies[1].name},")
    assert len(named.encode()) <= 1024
    assert respond.named([]) == {}

"""The texts below fields."""

from webhook.config.policy_schema import AlignmentPolicy
from webhook.config.profile_schema import NodeProfile
from webhook.manifests.field_docs import field_docs


def test_the_text_below_a_field_is_found_by_the_name_that_documents_use() -> None:
    assert field_docs(AlignmentPolicy)["PolicySpec"]["onUnknown"].startswith("What to say where no eligible node class")
    assert field_docs(NodeProfile)["KubeletSpec"]["reservedSystemCPUs"].startswith("A CPU list that no pod gets")


def test_inherited_fields_keep_their_texts() -> None:
    docs = field_docs(AlignmentPolicy)

    assert docs["HelperSpec"]["cpu"] == docs["FallbackSpec"]["cpu"]


def test_of_two_models_with_one_name_the_nearest_is_meant() -> None:
    assert set(field_docs(AlignmentPolicy)["SelectorSpec"]) == {"matchLabels", "matchExpressions"}
    assert set(field_docs(NodeProfile)["SelectorSpec"]) == {"matchLabels"}

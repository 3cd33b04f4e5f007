"""The texts below fields."""

from webhook.manifests.field_docs import field_docs


def test_the_text_below_a_field_is_found_by_the_name_that_documents_use() -> None:
    docs = field_docs()

    assert docs["PolicySpec"]["onUnknown"] == "What to say where no eligible node class is known (default warn)."
    assert docs["KubeletSpec"]["reservedSystemCPUs"].startswith("A CPU list that no pod gets")


def test_inherited_fields_keep_their_texts() -> None:
    assert field_docs()["HelperSpec"]["cpu"] == field_docs()["FallbackSpec"]["cpu"]

"""Fixtures of the tests that render manifests."""

import pytest

from webhook.manifests.choices import read_settings
from webhook.manifests.settings import Settings


@pytest.fixture(scope="session")
def settings() -> Settings:
    """Answer the settings of an installation that chooses nothing."""
    return read_settings()

"""Policy and profile documents: from YAML text to the values that decisions are made on."""

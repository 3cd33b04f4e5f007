"""What the kinds of one family share: paths that several of them embed."""

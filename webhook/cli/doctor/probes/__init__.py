"""What the doctor looks at: one module a question, each a pure function of the facts."""

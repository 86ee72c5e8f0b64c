"""Effects and policy to a decision, and the decision to words. Pure."""

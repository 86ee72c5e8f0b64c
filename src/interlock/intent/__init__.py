"""What the person asked for: their prompts read into intents and limits, and each call held against
them (GR-009).

Only the prompts of the person count: never the model's words, never what a tool printed. Nothing
here loosens anything: a call that does not fit gets a finding, a call that fits gets none, and
where the words are not understood nothing is said.
"""

"""The language model that looks at what rules want reviewed: one question, one line of answer, and
a person for everything else.
"""

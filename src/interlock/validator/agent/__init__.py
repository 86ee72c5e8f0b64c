"""The guard agent: a language model that may look closer before it answers, within bounds of turns,
tokens and time.
"""

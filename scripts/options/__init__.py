"""Tables of the options of programs, made of what others keep: manual pages, the programs' own
help, npm's @withfig/autocomplete.
"""

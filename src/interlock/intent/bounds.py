"""The table of limits: which words of a prompt say what is not to be done, or where.

A word that ends in ``*`` is a beginning. Accents and capital letters do not matter.
"""

from __future__ import annotations

from interlock.data.words import text, texts, words
from interlock.intent.words import words_of

ACTS: dict[str, str] = texts("bounds", "acts")

EDITS = words_of(text("bounds", "edits"))

ADDS = words_of(text("bounds", "adds"))

CHANGES = words_of("changes edits modifications anderungen cambios code")
"""Nouns of changing: ``no changes``, ``don't make any changes``."""
EVERYTHING = words_of(text("bounds", "everything"))

LEAVE = words_of("leave keep lass lasst laisse laissez deja dejad hands finger")
ALONE = words_of(text("bounds", "alone"))

ONLY = words_of(
    "only nur uniquement seulement solo solamente unicamente exclusively ausschliesslich 只 仅"
)
INSIDE = words_of("inside within in under below to auf innerhalb unter dans sous dentro en")
STAY = words_of("stay remain stick bleib reste quedate")
CONFINE = words_of("limit restrict confine keep beschranke limite limita")
OUTSIDE = words_of("outside ausserhalb dehors fuera beyond")
NOTHING = words_of("nothing nichts rien nada")
ELSE = words_of("else other anderes sonst weiteres autre mas 其 别")
EXCEPT = words_of("except apart besides ausser sauf excepto salvo 除")
"""``only touch X``, ``stay inside X``, ``limit your changes to X``, ``nothing outside X``, ``X and
nothing else``, ``anything except X``.
"""
FOLDERS = words_of(text("bounds", "folders"))
WITHOUT = words_of("without ohne sans sin")
AFTERWARDS = words_of("nicht nichts kein keine keinen keinem keiner")
"""German negations, whose verb may stand before them."""
LEADS = words_of(text("bounds", "leads"))
POSITIVE = (
    ("forget",),
    ("hesitate",),
    ("worry",),
    ("stop",),
    ("vergessen",),
    ("oublie",),
    ("olvides",),
    ("just",),
    ("only",),
    ("need",),
    ("afraid",),
    ("shy",),
)
"""After a ``not`` these limit nothing: ``don't forget to``, ``don't just``, ``no need to``."""
STOPS = words_of(
    "that which so because unless when if for until except weil damit wenn parce car para porque"
)
"""Where the objects of a limit end."""
ASKING = words_of("why does is are do did what how warum wie was pourquoi comment por que como")
"""A question that begins so limits nothing."""
FREELY = words("bounds", "freely")
LIFTED_BY: dict[str, str] = texts("bounds", "lifted by")
MAIN_REMOTES = words_of("origin remote github gitlab upstream bitbucket server")
"""``don't push to origin`` means any push; ``don't push to main`` does not."""
LINKING = words_of(text("bounds", "linking"))
ACT_OBJECTS = words_of(text("bounds", "act objects"))

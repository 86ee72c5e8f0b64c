"""Whether a text speaks to whoever judges it: the words of the protocol, or phrases with which
models are talked into things.

No list of phrases is whole, and nothing rests on this one: what an ALLOW cannot pass is for
``guard.review_stage`` to say, by effects. It takes away the plainest tries where effects show
nothing, such as a program that nobody knows with a comment that says what to answer.
"""

from __future__ import annotations

import re
from unicodedata import category, normalize

_ANSWER = re.compile(r"(?<![\w$./=-])(?:ALLOW|VERDICT)(?![\w/=-])")
"""The protocol's own word, in its own letters; not in a name, an option or a variable."""
_JUDGES = "reviewer|validator|judge|guard|auditor|evaluator|classifier|moderator"
_CLEARED = (
    "approved|cleared|authori[sz]ed|whitelisted|allow-?listed|vetted|reviewed|audited|sanctioned"
)
_PHRASES = re.compile(
    "|".join(
        (
            (
                r"\b(?:ignore|disregard|forget|override) (?:(?:all|any|the|your|my|these|those|of)"
                r" )*(?:previous|prior|earlier|above|preceding)\b"
            ),
            (
                r"\b(?:ignore|disregard|forget|override) (?:(?:all|any|the|your|my|these|those|of)"
                r" )*(?:instructions|rules|prompt)\b"
            ),
            r"\b(?:new|updated|revised|real|actual) (?:instructions|system prompt)\b",
            r"\b(?:system|assistant|developer) (?:prompt|message|note|override)\b",
            rf"(?:^|[\n'\"#>\]]) ?(?:system|assistant|developer|human|{_JUDGES}) ?:",
            r"<\|?/?(?:system|assistant|im_start|im_end|inst|instructions)\b|\[/?inst\]",
            (
                r"\byou are (?:now|a|an|the|in) (?:\w+"
                r" ){0,3}(?:assistant|model|reviewer|mode|ai|guard|judge|evaluator)\b"
            ),
            rf"\b(?:{_JUDGES})s?,? (?:must|should|please|may|can|will|note|has|have|already)\b",
            rf"\b(?:pre|already|been|is|was|were)[ -]?(?:{_CLEARED})\b|\b(?:{_CLEARED}) by\b",
            (
                r"\b(?:answer|respond|reply|output|return|say|conclude|classify|label|mark|rate|treat|consider|judge)"
                r" (?:\w+ ){0,4}"
                r"(?:allow|allowed|safe|harmless|benign|approved|trusted)\b"
            ),
            (
                r"\b(?:this|it|call|command|script) (?:\w+ ){0,2}is"
                r" (?:(?:completely|perfectly|totally|entirely|only) )?"
                r"(?:safe|harmless|benign|trusted|a test)\b"
            ),
            r"\b(?:do not|don't|never) (?:deny|ask|block|refuse|flag|escalate|report)\b",
            r"\b(?:test|maintenance|developer|admin|unrestricted) mode\b",
        )
    )
)
MOST = 60
MOST_READ = 64 * 1024


def speaks(*texts: str) -> str:
    """Return the words with which one of the texts speaks to its judge, or ``""``."""
    for text in texts:
        plain = _plain(text[:MOST_READ])
        found = _ANSWER.search(plain) or _PHRASES.search(_words(plain))
        if found is not None:
            return found.group().strip()[:MOST]
    return ""


def _plain(text: str) -> str:
    """Return a text as it looks: full-width letters are plain, the invisible is left out."""
    if text.isascii():
        return text
    return "".join([char for char in normalize("NFKC", text) if category(char) != "Cf"])


def _words(text: str) -> str:
    """Return a text in small letters, its words with one blank between them, its lines kept."""
    return "\n".join(
        [
            " ".join(line.replace("_", " ").replace("\t", " ").split())
            for line in text.lower().split("\n")
        ]
    )

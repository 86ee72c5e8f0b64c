"""Words by what they do in a sentence, whatever it asks for: courtesy, joints, negations, nouns
that look like verbs.
"""

from __future__ import annotations

from interlock.data.words import text
from interlock.intent.words import words_of

FILLERS = words_of(text("vocabulary", "fillers"))
COURTESY = words_of(text("vocabulary", "courtesy"))
ASSENT = words_of(
    "yes yep yeah sure do go proceed lets make ja mach machs oui fais si hazlo adelante 是 好"
)
"""Within a longer prompt these agree to something that only the model said; ``great`` and ``ok``
are mere talk there.
"""
MORE_HEADS = words_of(text("vocabulary", "more heads"))
MORE_ENDS = words_of("too also instead again now afterwards auch noch aussi tambien ademas")
POINTING = words_of(
    """it that this these those them everything all es das dies alles sie ihn ca cela le les lo la eso esto todo 它这这些"""
)
"""A short prompt that points at something goes on with the request before it."""

AFTER_POINTING = words_of(
    """to in on with for again too also and from into onto by without using auf in mit noch nach dans avec a en con para 到"""
)
"""A word that points stands for a thing itself where one of these follows it; else it only shows
which: ``this function``.
"""

BEFORE_NOUNS = words_of(text("vocabulary", "before nouns"))
NOUNS = words_of(text("vocabulary", "nouns"))
AFTER_NOUNS = words_of(text("vocabulary", "after nouns"))
WHY = words_of("why warum wieso weshalb pourquoi por 为")
"""A question that begins so is about an error that it names: ``why does the build fail``."""
FINDING = words_of("find locate spot finde trouve encuentra 找")
"""Who is to find what is wrong is to mend it: ``find the race condition``."""
UNABLE = words_of("cant cannot couldnt doesnt didnt isnt arent wont wasnt")
"""What follows one of these is no request: it says what goes wrong."""
DECLARATIVE = words_of(
    """the my our this that these those it its there nothing something everything der die das mein unser le la les el los las mi"""
)
"""A clause that begins so tells something: what is wrong in it counts before a seeming request."""
SUBORDINATE = words_of(text("vocabulary", "subordinate"))
RELATIVES = words_of(
    "that which who whose to for in when so where if because que qui pour para donde um"
)
"""Words that ``...`` never reaches over."""
NEGATORS = words_of(text("vocabulary", "negators"))

"""Words by what they do in a sentence, whatever it asks for: courtesy, joints, negations, nouns that look like verbs."""

from __future__ import annotations

from interlock.intent.words import words_of

FILLERS = words_of(
    """please pls plz kindly hi hey hello ok okay so well now also and then just can could would will you u ya i want like id d lets let us to we
    shall quick question quickly quick go ahead first next finally actually maybe again btw hm hmm yes yeah sure thanks great good nice cool
    perfect awesome claude agent bitte mal kannst konntest wurdest du sie konnen ja nun jetzt noch auch und dann erst zuerst danke gut super
    ok peux pouvez tu vous stp svp s il te plait vous moi aussi maintenant d abord et puis ensuite oui merci est ce que por favor puedes
    podrias puede ahora tambien y luego primero gracias si vale me nos 请帮我你能可以麻烦一下现在再也先吧"""
)
"""Words of courtesy before the first that counts."""
COURTESY = words_of(
    """ok okay yes yep yeah sure great good nice cool perfect thanks thank you awesome please pls ja gut super danke oui bien merci si vale gracias
    好"""
)
"""What comes before the word by which a prompt says that it goes on."""
ASSENT = words_of("yes yep yeah sure do go proceed lets make ja mach machs oui fais si hazlo adelante 是 好")
"""Within a longer prompt these agree to something that only the model said; ``great`` and ``ok`` are mere talk there."""
MORE_HEADS = words_of(
    """also and now then plus next additionally furthermore moreover finally too auch und jetzt nun dann noch ausserdem zusatzlich aussi et
    maintenant puis ensuite encore tambien y ahora luego ademas 也再然现还"""
)
"""A prompt that begins with one of these adds to the request before it."""
MORE_ENDS = words_of("too also instead again now afterwards auch noch aussi tambien ademas")
POINTING = words_of("""it that this these those them everything all es das dies alles sie ihn ca cela le les lo la eso esto todo 它这这些""")
"""A short prompt that points at something goes on with the request before it."""

AFTER_POINTING = words_of("""to in on with for again too also and from into onto by without using auf in mit noch nach dans avec a en con para 到""")
"""A word that points stands for a thing itself where one of these follows it; else it only shows which: ``this function``."""

BEFORE_NOUNS = words_of(
    """the a an this that our my your his her its their each every some any no of last latest new next first previous failed failing failing
    current for in on from with by via during per into without about old whole entire same other which whose what new nightly der die das
    den dem des ein eine einen einem einer eines dieser diese dieses mein meine unser unsere vom zum beim im le la les un une des du ce
    cette mon ma notre el los las una unos este esta mi nuestro del"""
)
"""A word after one of these is a noun: ``the build``."""
NOUNS = words_of(
    """deploy suche build release publish install push test commit merge review search query import export run start plan format update change fix
    design use log sort filter group cache store save link limit retry hash flag mark track style open list read check code type audit plan
    research document draft summary access"""
)
"""Words that are a verb or a noun; before one of ``AFTER_NOUNS`` they are a noun: ``deploy script``."""
AFTER_NOUNS = words_of(
    """script scripts process processes pipeline pipelines job jobs step steps stage stages workflow workflows command commands button buttons
    setup notification notifications message messages notes box bar artifacts output outputs error errors failure failures time times config
    system target key keys token tokens page pages option options flag flags suite coverage comments problem problems issue is was are
    should must needs does doesnt has will can returns soll sollte muss fails failed breaks crashes throws took takes hangs log trail index
    builder form view screen field box endpoint api service widget results result dialog modal string params parameter parameters table
    column row header"""
)
WHY = words_of("why warum wieso weshalb pourquoi por 为")
"""A question that begins so is about an error where the clause names one: ``why does the build fail``."""
FINDING = words_of("find locate spot finde trouve encuentra 找")
"""Who is to find what is wrong is to mend it: ``find the race condition``."""
UNABLE = words_of("cant cannot couldnt doesnt didnt isnt arent wont wasnt")
"""What follows one of these is no request: it says what goes wrong."""
DECLARATIVE = words_of(
    """the my our this that these those it its there nothing something everything der die das mein unser le la les el los las mi"""
)
"""A clause that begins so tells something: what it says is wrong counts before what looks like a request."""
SUBORDINATE = words_of(
    """before after when whenever if once while until till since because as although though unless whether bevor wenn nachdem falls sobald solange
    weil da obwohl ob avant apres quand si lorsque tant parce antes despues cuando mientras porque aunque hasta 当如因"""
)
"""A clause that begins with one of these says when, not what."""
RELATIVES = words_of("that which who whose to for in when so where if because que qui pour para donde um")
"""Words that ``...`` never reaches over."""
NEGATORS = words_of(
    """dont not never without avoid no nor neither mustnt shouldnt nicht kein keine keinen keinem keiner niemals nie ohne nichts ne n pas jamais
    sans aucun sin nunca ningun ninguna tampoco evita 不别勿未无"""
)
"""Words that turn what follows into its opposite."""

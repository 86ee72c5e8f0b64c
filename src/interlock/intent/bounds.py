"""The table of limits: which words of a prompt say what is not to be done, or where.

A word that ends in ``*`` is a beginning. Accents and capital letters do not matter.
"""

from __future__ import annotations

from interlock.intent.words import words_of

ACTS: dict[str, str] = {
    "push": "push pushing pushes pushed pushen pushe pousse pousser pousses empujes subas 推",
    "commit": "commit commits committing committed committen committe commite commiter commitees commitear commites 提",
    "install": "instal* dependency dependencies package packages deps library libraries abhangigkeiten pakete dependances dependencias 安",
    "network": "network internet online web netzwerk netz reseau red 网 联",
    "delete": "delete deleting remove removing erase erasing losch* supprim* effac* borr* elimin* 删",
    "deploy": "deploy deploying deployment ship deployen deploye ausrollen deplo* despliegues desplegar 部",
    "publish": "publish publishing release releasing veroffentlich* publie* publier publiques publicar 发",
    "git": "git",
    "database": "database db datenbank",
}
"""What is not to be done, and the words for it: verbs after a ``not``, nouns after a ``no``."""

EDITS = words_of(
    """touch touching change changing changes edit editing edits modify modifying modifications modification alter altering update
    updating rewrite rewriting mess touched changed edited modified implement implementing write writing fix fixing do code
    coding andere andern anderst verandere verandern veranderungen anderungen anfassen anruhren fass ruhr bearbeite
    bearbeiten touche touchez toucher modifie modifier modifications change changer toques tocar modifiques modificar cambies
    cambiar edites editar cambios cambia cambie modifica edita toca 改 动 碰 修 更"""
)
"""Verbs and nouns of changing; what stands after them is what is to stay as it is."""

ADDS = words_of("add create write update edit extend put adapt adjust modify füge schreibe ergänze ajoute écris crée añade escribe crea 加 写")
"""Verbs by which a person names what is to be changed besides: ``only touch src/foo, and add a test to tests/test_foo.py``."""

CHANGES = words_of("changes edits modifications anderungen cambios code")
"""Nouns of changing: ``no changes``, ``don't make any changes``."""
EVERYTHING = words_of(
    """anything nothing something any all code files file changes change edits modifications edit etwas nichts irgendwas anderungen
    dateien rien quoi fichiers fichier nada archivos archivo cambios ningun ninguna 任 何 什 代 文"""
)
"""Objects that mean the whole project."""

LEAVE = words_of("leave keep lass lasst laisse laissez deja dejad hands finger")
ALONE = words_of(
    """alone untouched unchanged unmodified intact as ruhe unverandert so unangetastet tranquille intacts intactes intacto intactos
    tranquilos quieto off weg"""
)
"""``leave X alone``, ``keep X unchanged``, ``hands off X``."""

ONLY = words_of("only nur uniquement seulement solo solamente unicamente exclusively ausschliesslich 只 仅")
INSIDE = words_of("inside within in under below to auf innerhalb unter dans sous dentro en")
STAY = words_of("stay remain stick bleib reste quedate")
CONFINE = words_of("limit restrict confine keep beschranke limite limita")
OUTSIDE = words_of("outside ausserhalb dehors fuera beyond")
NOTHING = words_of("nothing nichts rien nada")
ELSE = words_of("else other anderes sonst weiteres autre mas 其 别")
EXCEPT = words_of("except apart besides ausser sauf excepto salvo 除")
"""``only touch X``, ``stay inside X``, ``limit your changes to X``, ``nothing outside X``, ``X and nothing else``, ``anything except X``."""
FOLDERS = words_of(
    """folder folders directory directories dir package module subfolder ordner verzeichnis paket modul dossier repertoire carpeta
    directorio"""
)
"""A name before one of these is a path, and in German, French and Spanish after it."""
WITHOUT = words_of("without ohne sans sin")
AFTERWARDS = words_of("nicht nichts kein keine keinen keinem keiner")
"""German negations, whose verb may stand before them."""
LEADS = words_of(
    """do you u we must should may shall are is be am to want im id at all under circumstances absolutely ever bitte du sie darfst
    sollst il tu vous on se faut debes hay 要 请"""
)
"""What may stand between the beginning of a clause and its ``not``."""
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
STOPS = words_of("that which so because unless when if for until except weil damit wenn parce car para porque")
"""Where the objects of a limit end."""
ASKING = words_of("why does is are do did what how warum wie was pourquoi comment por que como")
"""A question that begins so limits nothing."""
FREELY = ("whatever you", "anything you", "touch anything", "change anything", "edit anything", "modify anything", "no restrictions", "no limits")
"""What takes every limit back."""
LIFTED_BY: dict[str, str] = {
    "push": "push",
    "commit": "git_work push",
    "git": "git_work push",
    "install": "install",
    "network": "research_web install push publish deploy",
    "delete": "clean_up",
    "deploy": "deploy",
    "publish": "publish",
    "database": "data_change",
    "write": "debug_error write_code write_docs refactor configure install clean_up data_change",
}
"""Intents that take a limit back: who asks for a push wants one."""
MAIN_REMOTES = words_of("origin remote github gitlab upstream bitbucket server")
"""``don't push to origin`` means any push; ``don't push to main`` does not."""
LINKING = words_of(
    """the a an any anything something some my our your of in at to on under below inside within all file files code folder
    directory and or also please unit pas integration e2e etwas nichts irgendwas an am im in den die das der dem alle keine
    aucun rien aux au les le la de du des dans sous los las el en nada ningun archivos fichiers dateien 任 何 的 这 些"""
)
"""What may stand between a verb of changing and the path or group of files that it means."""
ACT_OBJECTS = words_of(
    """anything something nothing yet it this that them these changes work code now then automatically here there please any pas
    commands command operations new more further extra additional packages package dependencies dependency deps libraries
    library modules stuff tools software branch branches commits commit results files file access calls requests at all the
    my your our a to until unless before without so for or and from with via using directly etwas noch jetzt bitte zu pakete
    abhangigkeiten nichts an am rien encore maintenant de des du les le la nada aun todavia 代 码 任 何 什"""
)
"""What may follow the verb of an act that is not to be done; after any other word only a part of it is meant: ``don't commit the lockfile``."""

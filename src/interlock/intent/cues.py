"""The table of cues: which words of a prompt mean which intent.

A phrase is words in their order. ``a|b``: either word; ``fix*``: every word that begins so; ``...``: up to three words between, none of them a
relative; ``^`` at the front: only where a clause begins, after words of courtesy. The first phrase of a clause counts, of several that begin at
the same word the one with the most words, of equal ones the earlier row. Accents and capital letters do not matter.
"""

from __future__ import annotations

_TESTS = "test|tests|spec|specs|testcase|testcases|e2e|testsuite|unittest|unittests"
_DOCS = "readme|readme.md|docs|documentation|docstring|docstrings|changelog|comments|wiki|javadoc|jsdoc|doku|dokumentation|anleitung|kommentare"
_THINGS = (
    "file|files|folder|folders|directory|directories|dir|dirs|log|logs|cache|caches|artifact|artifacts|artefacts|images|screenshots|branches"
    "|node_modules|dist|target|tmp|temp|backups|backup|leftovers|junk"
)
_DATABASE = "database|db|sql|table|tables|query|warehouse|postgres|mysql|bigquery|datenbank|tabelle|replica"

ASKS: tuple[tuple[str, str], ...] = (
    # -- courtesy that asks for nothing of itself
    (
        "",
        """
        make sure; ensure that; dont forget to; do not forget to; never forget to; dont hesitate to; remember to; try to; help me; help us;
        nicht vergessen; vergiss nicht; be sure to; feel free; keep in mind; let me know; i think; how about; what about; why not;
        wie ware es; wie wars; why dont you|we; check if|whether; look at|into issue|ticket|#*|bug;
        look at the|this issue|ticket|bug|error|problem; take ... look at ... issue|ticket|bug|#*; i guess; i want you to; id like you to""",
    ),
    # -- looking
    (
        "explain",
        """
        explain; describe; summarize|summarise|summarizing; walk me through; give|show me|us an example; give|show an example; give an;
        how come; help me understand; clarify; eli5; give|write ... overview|summary|walkthrough|explanation; overview of; tl; tldr; tour of;
        teach me; understand; compare; elaborate; illustrate; what|whats ... mean|means; erklar*; beschreib*; fass ... zusammen;
        zusammenfassung; expliqu*; decris; decrivez; resume moi|le|la|les; explica*; describa|describeme; resumen""",
    ),
    (
        "explain",
        """
        ^how; ^what; ^whats; ^why; ^any idea|chance|reason; remind me; in which|what; ^when was|were|is|are; ^do you know; ^whys; ^which;
        ^who; ^whos; ^when does|do|is|will|did; ^does; ^do we|you|i|they; ^did; ^is; ^isnt; ^are; ^was; ^were; ^has; ^have you|we|i;
        ^can i|it|this; ^could i|it|this; ^should i|we|it|this; ^am i; ^whose; ^will it|this|that; ^would it|this; ^doesnt; ^wie; ^was;
        ^warum; ^wieso; ^weshalb; ^wozu; ^welche*; ^wer; ^wann; ^wofur; ^gibt es; ^ist; ^sind; ^kann man|ich; ^hat; ^comment; ^pourquoi;
        ^que; ^qu; ^quel*; ^qui; ^quand; ^est ce; ^a quoi; ^c est quoi; ^combien; ^como; ^por que; ^cual*; ^quien*; ^cuando; ^para que; ^hay""",
    ),
    ("explain", "解释; 说明; 为什么; 怎么; 怎样; 干什么; 是干; 如何; 是什么; 做什么; 什么意思; 讲解; 介绍; 什么; 吗"),
    (
        "read_docs",
        f"""
        ^where; wheres; read; look at|through|over; have|take a look at|through; show me|us;
        find ... where|all|every|definition|usages|usage|places; find the|any|us|every; locate; ^what is|are in the|this|that; ^whats in;
        dump ... schema; open the changelog|readme|docs|file|log|logs|spec|config|code|source; tell me which|where;
        find out which|what|where; look for places|where|usages|all|every|the; point me;
        ^which|what ... env|variables|files|endpoints|flags|modules|routes|tests|dependencies; list of; give|get|show me|us a list;
        ^what does ... readme|docs|documentation|manual|spec say; find me; ^which|what version;
        show the last|current|recent|first|status|log|logs|diff|history|commits|content|contents|file|output;
        ^search for|through|in|all|our|my|every; search the code|codebase|repo|repository|files|project|logs|docs; grep; ^list;
        print ... content|contents|file|version; ^cat; open @path; open ... file|files; display the contents|content; check which|what|where;
        ^view; ^browse; ^tail; go through the code|file|files|docs|log|logs; what|which file|files; {_DOCS} ... say;
        give|get me|us the|all|some|every; tell me ... version|name|names|path|paths|files; fetch the docs; ^wo; ^lies; zeig*; ^suche*;
        ^such ... stellen|datei|dateien|nach; ^finde; ^liste; schau* ... an; offne; ^ou est|se|sont|sommes; montre*; ^lis; cherche*; trouve*;
        ouvre; affiche* ... contenu|fichier; ^donde; busca*; encuentra*; ^lee; muestrame; ^abre; ^lista; 查看; 看一下; 看看; 打开; 读; 找;
        搜索; 列出; 在哪""",
    ),
    (
        "review",
        """
        review; weak points|spots; weaknesses of;
        check that|if|whether my|our|the migration|change|changes|implementation|fix|patch|code|query; ^would you merge|approve|ship|accept;
        go over my|the|our|this pr|changes|code|diff|branch|patch|work|pull; ^have|did i|we miss|missed|forget|forgotten|overlook|overlooked;
        anything missing; code review; audit; critique; double-check; doublecheck;
        check my|our|the code|changes|implementation|diff|work|this|patch; check this|that for;
        check ... for bugs|problems|issues|races|race|vulnerabilities|mistakes|errors|anything|stupid|correctness|leaks; feedback on;
        give me|us feedback; give ... feedback|opinion; give me|us ... opinion; give me ... feedback; gib mir|uns feedback; donne* ... avis;
        ^what do you think; ^thoughts; ^opinion; ^are there ... bugs|problems|issues|vulnerabilities|mistakes|holes|smells;
        ^is there ... bug|problem|issue|vulnerability|wrong; ^any bugs|problems|issues|mistakes|suggestions|thoughts|concerns|feedback;
        find any|some|the bugs|issues|problems; find ... bugs|vulnerabilities|problems|smells|mistakes|weaknesses; critical look; look over;
        assess; evaluate whether|if|options|alternatives|the; ^inspect; sanity check; proofread; rate my|this;
        ^does ... look|seem ready|good|ok|okay|right|fine|correct|sane; honestly; ^tell me honestly;
        ^check ... policies|permissions|configuration ... for; check ... for overly|too|missing|possible|potential|security; lgtm;
        ^does this|it|that look; ^is this|that|it ... ok|okay|correct|good|right|safe|idiomatic; pruf*; begutachte*; mach ... review;
        code-review; gib ... feedback; beurteil*; passe en revue; revue de; relis; fais ... revue|relecture; haz ... revision;
        verifie mon|ma|mes|le code; examine*; revisa; revision de; revisar; evalua; audita; 审查; 评审; 检查代码; 检查一下; 有什么问题""",
    ),
    (
        "plan",
        """
        plan; discuss ... options|approach|design|plan; discuss the|this; ^what should we|i do; worth moving|switching|migrating|it;
        come up with ... plan|design|strategy|proposal; give me ... plan|roadmap|proposal|estimate|design|strategy|outline;
        make|create|write|give|draft|outline|sketch|develop ... plan|roadmap|proposal|estimate|design|strategy|outline; propose;
        tell me your plan|approach|strategy; your plan; ^which approach|strategy|option|way would|should|do; need a strategy|plan;
        strategy for; outline; brainstorm; think through|about|of; suggest; recommend;
        estimate how|the ... effort|time|cost|costs|long|complexity; ideas for; ^how should|would|could we|you|i;
        ^what would|should we|you|be; ^what would be; ^whats|what ... best|right way|approach; ^what ... steps|approach|strategy|options;
        ^what do you recommend|suggest|propose; thinking about|of; ^how would; design; figure out how|the best; weigh; pros and;
        evaluate options; analyse the options; ^plane; entwirf; entwerfe; mach ... plan; erstell* ... plan|konzept; schlag* ... vor;
        uberleg*; propose*; fais un plan; elabore ... plan; planifie; propon*; haz un plan; planea; planifica; disena; sugiere; 设计一; 制定;
        规划; 计划; 方案""",
    ),
    (
        "research_web",
        """
        search|look|check|find|browse|read ... web|internet|online|google|stackoverflow; google; research; look up; check online;
        have a look online; look online; newer|better|modern alternatives|alternative|library|libraries; find out on|in the web|internet;
        find me|us ... library|package|tool|framework|plugin|api; newer version|release; latest|newest version|release|stable;
        browse the web; on the web; search online; find out online; recherchier*; such* ... internet|netz|web; google*; im internet;
        cherche* ... internet|web|ligne; recherche* ... internet|web|ligne; sur internet; busca* ... internet|web|linea; investiga; 搜索网;
        上网; 网上; 百度; 谷歌""",
    ),
    (
        "data_query",
        f"""
        query ... {_DATABASE}; check|look|see in ... {_DATABASE};
        ^which|what|who customers|users|orders|accounts|products|rows|records|people ... no|most|least|more|have|has|never|without;
        dump the|all; ^query ... for|rows|users|orders; run|write ... query; ^select ... from|rows|where|all; ^count the|all|how;
        ^how many ... users|rows|orders|customers|records|payments|signups|entries|accounts|events|logins|visits|sales;
        list|show|find|give ... users|customers|orders|accounts|rows|records who|that|where|with; ^how much ... revenue|sales;
        ^what|whats|which ... average|total|sum|median|number|revenue|sales|percentage; look in ... {_DATABASE};
        get|give|show|pull|fetch|find|list|look ... {_DATABASE}; get|give|show me ... top|average|median|total|numbers|revenue;
        get|give|show me the top|average|median|total|numbers|number|revenue;
        show|get|give|pull ... average|median|total|numbers|revenue|top; pull the|me|all|some; ^average; ^aggregate; sum up; add up;
        sum the|all; use ... {_DATABASE}; ... with sql; ^wie viele; frag* ... datenbank; zahle; abfrage;
        combien de ... utilisateurs|lignes|commandes; interroge; ^cuantos; ^cuantas; consulta; 查询; 统计; 多少""",
    ),
    # -- mending
    (
        "debug_error test",
        """
        fix|repair|mend|correct|solve ... test|tests|spec|specs|testsuite; behebe|repariere ... tests; corrige ... tests;
        arregla ... tests|pruebas""",
    ),
    (
        "debug_error",
        """
        fix; make it|this|that|them stop; clean those|these up; have|take a look at the failing|failed|broken|red|crashing;
        are|is gone|missing|empty|wrong; fixes; fixing; debug; repair; mend; troubleshoot; investigate; diagnose; figure|find out why|what;
        find ... cause|root|reason|culprit|problem|issue|leak; find out what ... wrong|happened|breaks|broke|causes; track ... down;
        track down; hunt; correct; solve; resolve; sort out; patch; get ... working|work|green; make ... work|works|pass|green|compile;
        make it|this build; look into; get to the bottom; address ... review|comments|feedback|issue|issues|findings|warnings; address;
        handle ... null|error|errors|exception|case|cases|none|missing; handle; deal with; unbreak; ^whats wrong|broken|up;
        ^whats|what is|could|might causing|cause|behind; ^what is|went|goes wrong; rectify; avoid the error|crash; prevent the|this; bugfix;
        hotfix; reproduce; unblock; beheb*; behob*; reparier*; korrigier*; fehler ... beheben|finden|suchen; debugge*; finde heraus;
        find heraus; lose ... problem|fehler; bring ... zum laufen; kummer* dich um; mach ... grun; corrige*; repare*; resou*; debogue*;
        trouve ... cause|probleme|bug; regle*; arregla*; corrig*; repara*; soluciona*; resuelve*; depura; averigua; 修复; 修正; 修好; 修一下;
        修改错误; 解决; 调试; 排查; 报错; 改 bug; 帮我看看""",
    ),
    # -- tests
    (
        "test",
        f"""
        test; retest;
        run|rerun|execute|re-run|start|launch|try ... {_TESTS}|suite|linter|lint|checks|benchmark|benchmarks|coverage|typecheck;
        run|rerun|execute|re-run|start|launch|try ... pytest|jest|vitest|mypy|eslint|ruff|tsc;
        add|write|create|generate|implement|extend|make|include|update|expand|cover ... {_TESTS}|coverage;
        run|use pytest|jest|vitest|phpunit|rspec|mypy|eslint|ruff|tsc;
        npm|yarn|pnpm|cargo|go|make|bun|mvn|gradle|npx|dotnet|mix|bundle|tox test|check|vet|vitest|jest; pytest; jest; vitest;
        increase|raise|improve|check|measure ... coverage; ^do|does ... {_TESTS} ... pass; ^are ... {_TESTS} ... green|passing;
        make sure|check ... {_TESTS} ... pass|passes|green|run; make sure ... {_TESTS}; check|verify|ensure|confirm|validate ... {_TESTS};
        check|verify|ensure|confirm|sure that|if|whether ... {_TESTS}; make sure that ... {_TESTS}; verify; see if|whether ... {_TESTS};
        ^does|did|do ... {_TESTS} ... succeed|work|run|fail; make test|check; ^does everything|all|it|that still pass|work|build|run;
        check if|whether|that the linter|lint|types|suite|build|checks; try the|it|this|out; try ... with; try ... out;
        cover ... with ... tests|test; cover the ... cases|case; check|verify if|whether ... compiles|builds|works|passes|pass;
        it still compiles|builds|works; load|stress|smoke|unit test; unit-test; benchmark; profile; smoke-test;
        write|add unit|integration|regression|e2e; type-check; lint; tdd; mock; lass ... tests ... laufen;
        lass die|alle|mal|bitte tests laufen; fuhr* ... tests|test ... aus; fuhr* ... tests|test; starte* ... tests;
        teste|testen|testet|testez; schreib* ... tests|test|unittests|testfalle; erganz* ... tests|test; erstell* ... tests;
        lance* ... tests; execute|executez ... tests; teste*; ajoute* ... tests|test; ecri* ... tests|test; fais tourner;
        ejecuta* ... pruebas|tests; corre ... pruebas|tests; escrib* ... pruebas|tests; anad* ... pruebas|tests; prueba; 测试; 运行测试;
        跑一下测试; 跑测试; 编写测试; 为 ... 编写 ... 测试; 写 ... 测试; 单元测试""",
    ),
    # -- documentation
    (
        "write_docs",
        f"""
        document; comment the|this|out|my|all; add ... to the|our ... {_DOCS}; bring ... {_DOCS} ... up to date;
        {_DOCS} ... outdated|stale|wrong|missing;
        write|add|update|create|draft|extend|improve|generate|rewrite|fix|correct|expand|polish|complete|revise|edit|finish|adjust|make ... {_DOCS};
        add|write ... comments|comment|docstring|section|guide|tutorial|notes|adr|paragraph;
        fix|correct|improve ... wording|grammar|spelling; write up; update|fix|edit|improve the|our|these|all comments;
        describe ... in ... manual|guide|handbook|readme|docs|documentation; fix|correct ... typos|typo|spelling|grammar ... {_DOCS};
        fix|correct ... {_DOCS}; release notes; changelog; write|draft ... notes|guide|tutorial|article|post|blog; translate ... {_DOCS};
        generate ... docs|documentation; put ... readme|docs; describe ... in the readme|docs; describe in;
        explain|describe|summarize|summarise|list|note|record ... in ... {_DOCS}|comment|@doc; mention ... readme|docs;
        explain ... in the readme|docs; note|record ... in the; dokumentier*; schreib* ... readme|anleitung|dokumentation|doku|kommentar*;
        aktualisier* ... readme|dokumentation|doku; kommentier*; erganz* ... readme|dokumentation|doku; documente|documentez; redige*;
        ecri* ... documentation|readme|doc; mets a jour ... documentation|readme|doc; commente|commentez;
        ajoute* ... commentaires|documentation; documenta|documentar; actualiza* ... documentacion|readme; redacta*;
        escrib* ... documentacion|readme; comenta*; 更新文档; 写 ... 文档; 文档; 添加注释; 写注释; 加注释""",
    ),
    # -- better shape
    (
        "refactor",
        """
        refactor*; merge the|these|both two|helper|modules|classes|functions|files|components;
        turn ... into a class|function|hook|module|method; use early|guard;
        drop|remove ... unused|dead parameters|parameter|variables|imports|code; get rid of; clean this|that|it|everything|things up;
        clean up this|that|the mess; switch from ... to; make ... easier|simpler|clearer; reduce ... size; rename*; simplify; restructure;
        reorganise; reorganize; clean ... code;
        clean up ... code|imports|module|class|function|functions|component|components|css|types|api|logic|method|naming;
        tidy the|my|up code|imports|function|class|module; tidy up; move; extract; inline; split; deduplicate; dedupe; dry up; optimi*;
        vectori*; parallelize; parallelise; flatten; normalize; normalise; harden; shorten; speed up;
        make ... faster|readable|cleaner|simpler|shorter|idiomatic|leaner|nicer|typed; improve;
        make ... function|functions|class|module|component|components|code|it pure|testable|generic|reusable|immutable|async|stateless|modular;
        replace ... ifs|loops|loop|callbacks|nesting|conditionals|inheritance|globals;
        use dataclasses|enums|constants|generics|hooks|classes|types ... instead of; consistent naming|style; duplication; format; reformat;
        modernise; modernize; modulari*; decouple; restyle; beautify; prettify; streamline; polish; rework; unify; consolidate;
        cleanup the code;
        remove|delete|drop ... dead|unused|duplicate|duplicated|redundant code|imports|import|functions|variables|function|exports|css|classes;
        remove dead; get rid of ... duplicated|duplicate|duplication|dead|redundant|warnings|boilerplate|nesting; migrate ... from|to;
        convert ... to|into|hooks; convert; rewrite; run|use|apply prettier|black|gofmt|rustfmt; run ... formatter;
        merge ... into one|functions|classes; sort ... imports; split ... into|up; break ... up|down|into; pull ... out|apart;
        reduce ... complexity|duplication|size; ^type; add ... types|annotations|hints; replace ... magic; abstract; decompose; separate;
        generalise; generalize; refaktor*; raum* ... code ... auf; raum* den|die code|imports; benenn* ... um; benenn*; vereinfach*;
        verschieb*; optimier*; formatier*; strukturier*; extrahier*; teil* ... auf; zerleg*; verbesser*; umbenenn*;
        mach ... schneller|lesbarer|einfacher|kurzer; refactor*; renomm*; simplifi*; deplac*; optimis*; nettoi* ... code; reorganis*;
        amelior*; factoris*; decoup*; rends ... lisible|rapide; refactoriz*; renombr*; simplific*; mueve; mover; optimiz*; reorganiz*;
        mejora*; limpia ... codigo; extrae; formatea; 重构; 重命名; 优化; 简化; 整理代码; 格式化; 改进; 移动; 拆分""",
    ),
    # -- packages
    (
        "install",
        """
        install; make sure ... packages|dependencies|deps ... installed;
        move|switch|upgrade to react|node|python|vue|angular|typescript|java|go|rust|php|rails|django|vite|webpack|next; reinstall;
        install the|all|my|some|missing;
        update|upgrade everything|all ... requirements.txt|package.json|pyproject.toml|cargo.toml|gemfile|go.mod;
        get ... into the venv|virtualenv|environment|image|container; remove|drop|delete ... dependency|dependencies|package|packages;
        add|use ... dependency|dependencies|package|packages|devdependency; upgrade; downgrade;
        update|bump|upgrade|raise|refresh ... dependencies|dependency|packages|package|deps|lockfile|requirements|libraries|library;
        update|bump|upgrade|raise ... version of; pin;
        npm|yarn|pnpm|pip|poetry|uv|cargo|bun|composer|bundle|brew|apt|apt-get|pip3|go install|add|update|ci|i|get|upgrade|sync;
        set up|create ... virtualenv|venv|virtual; update|bump|upgrade ... to latest|newest|the; bump ... to; update ... to; bump;
        installiere|installieren; reinstallier*; aktualisier* ... abhangigkeiten|abhangigkeit|pakete|paket|version|bibliothek;
        installez|installer; mets a jour ... dependances|paquets|paquet; instala|instalar; actualiza* ... dependencias|paquetes|paquete;
        安装; 升级; 更新依赖""",
    ),
    # -- settings
    (
        "configure",
        """
        configure; write|create|make ... docker-compose|dockerfile|makefile|compose|nginx|systemd|tsconfig|webpack;
        set ... in|for the|our|my dockerfile|makefile|env|environment|config|ci|pipeline;
        exclude|include ... from|in the linter|formatter|build|coverage|compiler|bundle|ci;
        add ... to the|our|my ... hooks|hook|ci|pipeline|config|workflow|makefile|tsconfig; config;
        set up ... ci|cd|github|linting|linter|eslint|prettier|pipeline|hooks|hook|husky|pre-commit|docker|logging|monitoring|environment|env;
        set up ... workspace|project|tooling|tsconfig|ruff|mypy|renovate|dependabot|webpack|vite;
        set up ... ssl|https|nginx|cron|actions|action|typescript|config; set up; setup;
        enable ... mode|rule|option|plugin|caching|strict|protection|integration; disable ... rule|option|mode|plugin|check|telemetry;
        turn on|off;
        add|create|write|make ... pre-commit|hook|workflow|pipeline|ci|dependabot|renovate|action|actions|editorconfig|gitignore|.gitignore;
        change|set|update|adjust|edit ... config|configuration|settings|.env|tsconfig|docker-compose.yml|.gitignore|gitignore|yaml|.yml|.toml|env;
        bump|raise|increase ... version to; bump ... version|patch|minor|major;
        change|set|update|adjust|edit|increase|raise|lower ... in @config; change|edit|update|adjust @config; set|raise|increase ... version;
        set ... in ... @config; set ... to ... in @config; switch on|off; switch the formatter|linter|bundler|runner|compiler|ci;
        add ... to .env|.env.example|.gitignore|.dockerignore|.editorconfig; make ci; activate; deactivate; ignore ... in git; initiali*;
        init; add ... to gitignore|.gitignore; richte* ... ein; einrichten; konfigurier*; aktivier*; deaktivier*; stell* ... ein|um;
        configurez|configurer; activez|activer; active le|la|les; parametr*; desactiv*; configura*; habilita*; 配置; 设置; 启用""",
    ),
    # -- databases
    (
        "data_change",
        f"""
        seed; migrate the|our|my dev|test|local|staging|prod|production database|db; migrate the|our|my|all database|db|data;
        fill ... {_DATABASE}; load ... into ... {_DATABASE}; run|apply|execute|rerun ... migrations|seeds|seed;
        run|apply|execute|rerun the|my|this|that migration; migrate the|our db|database; create|add ... migration;
        delete|remove|drop|purge|truncate|clear|wipe|insert|update|set|change|fix|backfill ... {_DATABASE};
        delete|remove|drop|purge|clear|update|set|change|insert ... from|in|into|of the|our|my {_DATABASE}; insert ... into|rows|row;
        backfill; rename|drop|alter|widen the column|table|index;
        delete|remove|update ... orders|users|rows|records|accounts|entries|customers ... from|in the database|db|table;
        add an|a index|column|table|constraint|field ... migration; add ... migration; truncate; drop the|all tables|table|column|database;
        reset the|my db|database; populate; restore ... backup|dump|database; fuhr* ... migration|migrationen; losch* ... datenbank;
        lance* ... migrations; ejecuta* ... migraciones; borra* ... base; 迁移; 运行迁移; 数据库 ... 删""",
    ),
    # -- deleting
    (
        "clean_up",
        f"""
        delete; delete all; erase; wipe; purge; prune; trash; remove|drop|clear|discard|nuke|clean|empty|throw ... {_THINGS};
        get rid of ... {_THINGS}; remove old|unused|stale|obsolete|temp|temporary; remove the old; clean up; cleanup;
        get rid of the|those|these files|folders|logs|artifacts|branches; get rid of old|unused|stale; clear; throw away|out;
        tidy|tidy up ... {_THINGS}; remove what; remove whatever; what is left over; rm; empty the; losch*;
        entfern* ... datei|dateien|ordner|verzeichnis|logs|dossier; raum* ... weg; raum* ... auf; aufraumen; bereinig*; wirf ... weg;
        leer* ... cache|ordner; supprim* ... fichier|fichiers|dossier|dossiers|cache|logs|branches|temporaires; supprim*; efface*; nettoi*;
        vide|videz|vider; borra*; elimina* ... archivo|archivos|carpeta|logs|ramas; limpia*; vacia*; 删除; 清理; 清空; 删掉""",
    ),
    # -- making things run
    (
        "build_run",
        """
        run; rerun; execute; start; restart; launch; serve; compile; flash;
        build an|a|the|me apk|ipa|wheel|binary|image|installer|package|jar|bundle|executable|release; build; rebuild;
        build ... project|app|image|package|docker|locally|it|everything|binary|wheel|release|apk|ipa|jar|executable; make ... build;
        spin up; bring ... up; boot; bring up; fire up; open the app|page; stop the|my dev|server|app;
        npm|yarn|pnpm|bun|make|cargo|go|mvn|gradle|docker run|start|build|dev|compose|up; preview; show me ... running|app;
        starte|startet|starten; startest; baue das|die projekt|app|anwendung|image|paket; bau das|die projekt|app|anwendung|image;
        kompilier*; fuhr* ... aus; lass ... laufen; demarr*; lance|lancez|lancer; compilez|compiler; construis; executez|executer; relanc*;
        ejecuta*; inicia*; arranca*; compila*; corre|correr; construye; 启动; 运行; 编译; 构建; 跑一下; 执行""",
    ),
    # -- making
    (
        "write_code",
        """
        add; implement; create; write; make; ^code; develop; generate; change; modify; replace; extend; support; allow; enable; use; ^port;
        finish; complete; set; insert; introduce; integrate; wire; hook; drop support; remove;
        delete ... button|field|route|endpoint|option|parameter|method|function|class|component|line|lines|dialog|link|text;
        delete ... column from|in|of ... component|view|ui|page|form|grid; scaffold; ^log; throw|raise an|a; can|could we have;
        keep asking for; have one; bring ... into|to the; respond with; debounce; ask for|the ... before|when|if; build in;
        notify the user|users|admin|customer; run the|it|this|that ... in the background; split ... page|view|screen|form ... into;
        keep the|it ... when|while|after; remember the; play; scroll; animate; highlight; autofocus; focus; truncate ... text|title|name;
        draw; train; plot; wrap; hardcode; bundle; stream; batch; poll; subscribe; publish events; compute; calculate; fill; place; put;
        append; put; adjust; tweak; update; translate; return; show; draft; sketch; search by|should;
        apply ... improvements|improvement|fix|fixes|changes|suggestions|suggestion|it|them|patch; zeige|zeig im|in|auf|am|den;
        lies ... aus|von; affiche*; lis ... depuis; muestra; lee ... desde|de; 显示; hide; convert ... script; turn;
        let users|the|it|people|us|admins|me|everyone|customers|them; rename the label|title|heading|text|tab|entry|column|caption;
        lets support|add|make|use|have|allow; prevent; build a|an|me|us|out|some|another|new|support;
        design ... page|ui|screen|logo|component|layout|form|button|icon|website|site|header|card|theme; read|load|fetch|parse ... from|into;
        look up ... by;
        give|get me|us a|an ... function|script|class|component|snippet|version|query|command|way|solution|fix|button|page|theme|option|flag;
        plot; chart; build ... page|feature|component|tool|form|widget|dashboard|api|endpoint|cli; swap; give; expose; ^cache; include;
        ^store; ^save; send ... when|after; log ... when|every|all; validate; parse; render; style; animate; center; centre; align; localize;
        localise; internationalize; ^mark; ^flag; require; reject; accept; ^limit; rate-limit; throttle; retry; encrypt; ^hash; paginate;
        sort; filter; ^group; display; ^export; ^import; persist; track; emit; handle ... requests|uploads|events|files; provide; offer;
        define; declare; register; connect; ^link; embed; attach; bind; inject; override; overwrite; increase; decrease; reduce; double;
        shrink; enlarge; i|we need a|an|the|another|some; i want ... to be able; i|we want|need|like a|an|another|the;
        id like a|an|another|the; id like to have; ^need a|an; we should; redesign; prototype; mock up; try using|with; switch ... to|from;
        bring back; restore; apply ... style|theme|same|to; fuge ... hinzu|ein; fug* ... hinzu|ein; fuge; hinzufugen; einfugen;
        implementier*; erstell*; schreib*; erganz*; andere|andern|andert; baue; zieh* ... heraus|in; bau ... ein; bau; einbauen;
        programmier*; entwickl*; ersetz*; erweiter*; generier*; entfern*; setz*; passe ... an; anpassen; unterstutz*; mach ... den|die|das;
        verwend*; nutze; integrier*; zeige ... an; leg* ... an; ubersetz*; ajout*; implement*; cree*; creer; ecri*; chang*;
        modifie|modifiez|modifier; remplac*; etend*; genere*; utilise*; integre*; retire*; enleve*; mets; met; developp*; permet*; tradui*;
        anad*; agrega*; implementa*; crea; haz que; haz; crear; creame; escrib*; cambia*; modific*; reemplaz*; genera|generar; usa|usar;
        integra|integrar; quita|quitar; pon|poner; desarroll*; permite*; elimina*; traduc*; 添加; 增加; 实现; 编写; 写一个; 写; 创建; 新增;
        修改; 改成; 替换; 加上; 开发; 生成; 加一个; 新建; 给 ... 加""",
    ),
    # -- git
    (
        "git_work",
        """
        commit; get|fetch|pull the latest|newest|recent changes|commits|version|state; get|pull ... from main|master|upstream|origin|develop;
        committing; amend; rebase; cherry-pick; squash; make|create ... commits out of|from;
        drop|remove|edit|fix|reword|move the|my|that last|latest|previous|first|top|second commit|commits; stash; merge; merge conflict*;
        resolve|fix ... conflict|conflicts; create|make|start|new|open|switch|checkout|check ... branch; checkout;
        check out ... branch|main|master|develop; switch to ... branch|main|master|develop; undo ... commit|merge|rebase; revert; stage;
        unstage; tag; git; bisect; pull ... main|master|upstream|origin|latest|changes; make|create|do ... commit;
        fetch ... origin|upstream|main; roll back ... commit|changes|change; undo; go back to the|that|commit; save ... stash;
        stash my|the|all|these; reset ... branch|head|to; branch off; sync ... main|master|upstream|fork; reword; create|add ... tag;
        git_work; save ... git; init ... repo|repository|git; split the last|first|previous|latest commit|commits;
        split my|this|that commit|commits; split ... commits; bring|get ... branch ... up to date; bring|update my|the|this branch; committe;
        commite; committe|committen; mach ... commit; mach ... ruckgangig; erstell* ... branch|commit|zweig; wechsl* ... branch|zweig;
        fais un|des commit; fusionn*; annul* ... commit; annul*; cree* ... branche; haz un commit; haz commit; fusiona*; deshaz*; revierte*;
        crea ... rama; 提交; 合并; 创建分支; 回滚; 撤销; 变基; 切换分支""",
    ),
    ("git_work push", "commit-push*; commit-and-push; commit-pr"),
    (
        "push",
        """
        push; open|create|make|submit|raise|send|file|prepare|update|do|draft ... pr|prs|pull-request|mr;
        open|create|make|submit|raise|send|prepare|update|draft ... pull|merge request; pr; put up ... pr; put ... up for review;
        push ... origin|remote|branch|upstream|changes; upload ... branch|commits; force-push; pushe*; erstell* ... pr;
        erstell* ... pull request; mach ... pr; offne ... pr; offne ... pull request; pousse*; ouvre ... pr; ouvre ... pull request;
        cree* ... pull request; sube ... cambios|rama|commits; empuja*; abre ... pr; abre ... pull request; crea ... pull request; haz push;
        推送; 推到; 提 pr; 创建 pr""",
    ),
    # -- to others
    (
        "publish",
        """
        publish; release; cut ... release|version; create|make|draft|do|prepare|tag|ship ... release; tag and; release ... version|v*;
        push ... image|images|package|docker|registry|npm|pypi; push ... to npm|pypi|dockerhub; push ... registry;
        upload ... pypi|npm|registry|package|release|store; upload ... to the app|play|chrome store;
        upload ... to ... pypi|npm|registry|testflight|ghcr|dockerhub; upload the wheel|package|crate|gem|image;
        npm|cargo|pnpm|yarn|twine|poetry|uv publish|upload; tag ... release; bump ... publish|release; veroffentlich*; releasen;
        mach ... release; publie|publiez|publier; publica|publicar; lanza ... version; libera ... version; 发布; 发版; 上线新版本""",
    ),
    (
        "deploy",
        """
        deploy; put|get|bring ... on|onto|to|into staging|production|prod|live; ^is the deploy|deployment|rollout; redeploy;
        get ... onto|into|on|to production|prod|staging; build ... deploy; ship; roll ... out; rollout; roll out;
        roll back ... deploy|deployment|release|production|prod|staging|version; rollback; promote; go live;
        terraform|pulumi|tofu|cdk apply|up|deploy|destroy; run terraform|pulumi|tofu|cdk|helm|ansible apply|up|deploy|destroy|upgrade;
        apply ... terraform|infra|infrastructure|manifests|k8s|kubernetes|helm|chart|plan;
        apply the|my|our terraform|infra|infrastructure|manifests|k8s|kubernetes|helm|chart|plan; helm upgrade|install;
        kubectl apply|rollout; release|roll ... to|on|into ... production|prod|staging|cluster|servers|server;
        push ... to prod|production|staging|heroku|live|vercel; push ... live; provision; bring ... live; put ... live|production; scale;
        tear down ... stack|environment|infra|infrastructure; deploye|deployen|deploie; deploye*; rolle ... aus; ausroll*; ausrollen;
        bring ... produktion|live; deploie*; deploi*; mets ... en production|ligne; mets en production; desplieg*; despleg*;
        pon ... en produccion; sube ... produccion|servidor; 部署; 上线""",
    ),
    (
        "operate",
        """
        kill; clean up docker; start|stop|restart the postgres|mysql|redis|nginx|apache|docker|mongo|kafka|ssh|vpn; stop ... running on|at;
        stop the server|service|process on|running|listening; free some|up|a;
        restart ... service|services|nginx|postgres|daemon|docker|machine|redis|apache|pod|pods|container|containers;
        stop ... container|containers|service|process|daemon|server|all|vm; free ... disk|space|memory|port; free up; shut down; shutdown;
        reboot; mount; unmount; ssh; systemctl; check ... disk|cpu|memory|uptime|processes; monitor; chmod; chown; back up; terminate;
        beend*; tote; stoppe|stoppen; starte ... dienst|nginx|postgres neu; redemarr* ... service|nginx|serveur; arret*; tue; reinicia*;
        det* ... servicio|proceso|contenedor*; mata; 重启; 停止; 杀死; 杀掉; 关闭""",
    ),
    (
        "message",
        """
        comment on|in; write|post|add|leave ... comment on|to ... issue|issues|pr|mr|ticket|pull|merge;
        answer ... comment|comments|reviewer|issue|question; answer the|my;
        post ... comment|slack|message|issue|update|discord|channel|teams|summary on; reply; respond to;
        send ... message|email|mail|slack|notification to; email; mail; notify;
        open|create|file|raise|report|write ... issue|issues|ticket|tickets|jira; file ... bug; close ... issue|ticket; dm; tweet; announce;
        tell ... on slack|teams|discord; tell the|my|our team|colleagues|users|customers|everyone|boss; ping; leave ... comment; write to;
        label ... issue|issues; assign ... issue|ticket; kommentier* ... issue|pr; schick*; schreib* ... mail|email|nachricht|issue|ticket;
        erstell* ... issue|ticket; antwort*; offne ... issue; envoi*; commente ... issue|pr; ouvre ... issue|ticket; reponds; envia*;
        comenta ... issue|pr; abre ... issue|ticket; responde; 发送; 发消息; 评论; 通知""",
    ),
)
"""Names of intents (``""``: none) and the phrases that ask for them."""

STATES: tuple[tuple[str, str], ...] = (
    (
        "debug_error",
        """
        error; errors; exception; exceptions; traceback; stacktrace; crash*; fails; fail; failing; failed; failure; broken; breaks; broke;
        bug; bugs; buggy; wrong; not; not work; doesnt work; dont; not working; couldnt; unable; isnt working; wont work; wont start;
        stopped working; doesnt; didnt; isnt; wont; cant; cannot; hang; hangs; hanging; stuck; freez*; leak; leaks; segfault; dies; died;
        falls; fault; stutters|stutter; laggy; glitch*; flickers; jumps; vanishes; disappears; stops; stopped; race; races; deadlock;
        deadlocks; bottleneck; culprit; overflow; corruption; mismatch; panic; panics; throws; undefined; *error; *exception; typo; 404; 500;
        502; 503; blank; nothing happens|shows|works; problem; issue; incorrect; unexpected; missing; red; no longer; not found; timeout;
        times; regression; keep|keeps getting; reload|reloads; modulenotfounderror; no module; unreachable; complains; refuses; yesterdays;
        too many|few|much; doesnt do; not do; gone; undefined is; locally but; sometimes; beendet sich; un probleme; devuelve 500|error|nada;
        same job|row|time|id twice; off by;
        closes|opens|loads|jumps|loops|shows|appears|renders|returns|saves immediately|twice|nothing|empty|back|wrong|too; econnrefused;
        worked yesterday|before|fine; used to work; load; loads; flaky; slow; fehler; kaputt; 500er; 404er; nicht mehr; kommt ein; sturzt;
        absturz; fehl; funktioniert nicht; geht nicht; klappt nicht; schlagt ... fehl; hangt; erreur; plante;
        ne repond|repondent|marche|fonctionne|charge; ne ... plus; se fige; marche pas; fonctionne pas; bogue; echoue; probleme; casse;
        falla; no funciona|carga|responde|abre; en blanco; se queda; fallo; roto; se cuelga; problema; 错误; 失败; 崩溃; 不工作; 不行; 异常;
        报错""",
    ),
    (
        "write_code",
        """
        should; must; needs; needs to; need to; has to; have to; would be nice; i want; id like; we want; shall; ought; supposed to; soll;
        sollte; muss; mochte; doit; devrait; il faut; debe; deberia; tiene que; quiero; 应该; 需要; 要""",
    ),
    (
        "explain",
        """
        tell me; tell us; say what|if|whether|which; not sure; i wonder; i dont understand; dont understand; i dont get; im wondering;
        im curious; im confused; confused; i dont understand|get; curious; question; sag mir; sage mir; verstehe ... nicht; dis moi; dime;
        comprends pas; no entiendo; 告诉我; 不明白; 不懂""",
    ),
)
"""What a sentence means that asks for nothing: it says what is wrong, what should be, or what somebody wonders at."""

FOLLOWS: dict[str, str] = {
    "agree": """
        yes; y; yep; yeah; yup; ok; okay; k; sure; do it; do that; go; go ahead; go for it; proceed; please do; sounds good; looks good;
        perfect; correct; exactly; agreed; approved; confirm; confirmed; lets go; lets do it; lets do that; make it so; fine; fine by me;
        alright; all right; great; good; yes please; of course; absolutely; definitely; ship it then; option; the first; the second;
        the third; the first one; the second one; the last one; the third one; both; all of them; all; either; a; b; c; first; second;
        neither; ja; jo; jep; klar; gerne; genau; einverstanden; mach das; mach es; machs; passt; in ordnung; los; tu das; oui; vas y;
        d accord; parfait; ca marche; bien sur; fais le; exact; si; vale; adelante; claro; de acuerdo; hazlo; perfecto; correcto; dale; 好;
        好的; 是; 是的; 可以; 行; 对; 同意; 没问题; 嗯; 确认""",
    "more": """
        continue; go on; keep going; carry on; next; more; again; try again; retry; resume; once more; keep at it; and; proceed; finish;
        finish it; finish that; complete it; weiter; mach weiter; weitermachen; fortfahren; fahr fort; nochmal; noch einmal; continue*;
        continuez; encore; la suite; sigue; continua; continuar; otra vez; mas; 继续; 接着; 再来一次; 再试一次""",
    "chat": """
        thanks; thank you; thx; ty; cheers; hi; hello; hey; good morning; good evening; nice; cool; awesome; lol; haha; wow; great work;
        well done; no; nope; stop; wait; hold on; never mind; nevermind; cancel; abort; bye; hmm; hm; oh; i see; got it; interesting;
        looks great; good job; test; danke; hallo; moin; guten morgen; super; toll; nein; stopp; halt; warte; ach so; merci; bonjour; salut;
        non; attends; arrete; gracias; hola; buenos dias; espera; para; genial; 谢谢; 你好; 不; 不用; 等等; 停""",
}
"""Whole prompts that say nothing of their own: they agree to what was proposed, want more of the same, or are talk."""

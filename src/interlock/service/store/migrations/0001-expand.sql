-- The service's tables. The columns are those of SQLite's, in their order, and the tenant behind
-- them: no statement names it. It is whose key a transaction shows; with a key that nobody
-- registered, or none, every table is empty and takes nothing.

-- as it sorts in SQLite: by bytes, whatever the database's own order is
CREATE DOMAIN word AS text COLLATE "C";

CREATE TABLE tenant (
    name word PRIMARY KEY, key word NOT NULL UNIQUE, noted bigint NOT NULL DEFAULT 0
);

CREATE FUNCTION my_tenant() RETURNS text
LANGUAGE sql STABLE PARALLEL SAFE SECURITY DEFINER SET search_path = interlock, pg_temp
AS $$
    SELECT name::text FROM tenant WHERE key =
        encode(sha256(convert_to(current_setting('interlock.key', true), 'UTF8')), 'hex')
$$;

CREATE TABLE setting (
    name word NOT NULL, value word NOT NULL,
    tenant word NOT NULL DEFAULT my_tenant(), PRIMARY KEY (tenant, name)
);
CREATE TABLE machine (
    id word NOT NULL, name word NOT NULL, platform word NOT NULL, version word NOT NULL,
    secret word NOT NULL, enrolled word NOT NULL, seen word NOT NULL, retired word NOT NULL,
    head bigint NOT NULL, team word NOT NULL DEFAULT '', owner word NOT NULL DEFAULT '',
    tenant word NOT NULL DEFAULT my_tenant(), PRIMARY KEY (tenant, id), UNIQUE (tenant, secret)
);
CREATE TABLE machine_check (
    machine word NOT NULL, kind word NOT NULL, at word NOT NULL, rows word NOT NULL,
    tenant word NOT NULL DEFAULT my_tenant(), PRIMARY KEY (tenant, machine, kind)
);
CREATE TABLE enrolment (
    secret word NOT NULL, uses bigint NOT NULL CHECK (uses >= 0), expires word NOT NULL,
    team word NOT NULL DEFAULT '', owner word NOT NULL DEFAULT '',
    tenant word NOT NULL DEFAULT my_tenant(), PRIMARY KEY (tenant, secret)
);
CREATE TABLE chain (
    id word NOT NULL, machine word NOT NULL, first bigint NOT NULL, base word NOT NULL,
    continues word NOT NULL,
    tenant word NOT NULL DEFAULT my_tenant(), PRIMARY KEY (tenant, id)
);
CREATE TABLE branch (
    chain word NOT NULL, number bigint NOT NULL, parent bigint NOT NULL, "left" bigint NOT NULL,
    base word NOT NULL, seq bigint NOT NULL, hash word NOT NULL, kind word NOT NULL,
    since word NOT NULL, grown word NOT NULL,
    tenant word NOT NULL DEFAULT my_tenant(), PRIMARY KEY (tenant, chain, number)
);

-- what is kept of the record, a part for each day on which it came
CREATE SEQUENCE arrival;
CREATE TABLE chain_event (
    id bigint NOT NULL, chain word NOT NULL, branch bigint NOT NULL, seq bigint NOT NULL,
    key word NOT NULL, at word NOT NULL, kind word NOT NULL, session word NOT NULL,
    subject word NOT NULL, body word NOT NULL, hash word NOT NULL, row word,
    -- the fields as JSON, where one of them holds a sign that no text here can hold
    exact word, received date NOT NULL,
    tenant word NOT NULL DEFAULT my_tenant(), PRIMARY KEY (tenant, chain, seq, branch, received)
) PARTITION BY RANGE (received);
CREATE INDEX chain_event_id ON chain_event (tenant, id);
CREATE INDEX chain_event_session ON chain_event (tenant, session, id);

-- makes the part of a day (by this server's clock) where there is none, while others read
CREATE FUNCTION add_day(day date DEFAULT (now() AT TIME ZONE 'UTC')::date) RETURNS date
LANGUAGE plpgsql SECURITY DEFINER SET search_path = interlock, pg_temp
AS $$
DECLARE
    part text := 'chain_event_' || to_char(day, 'YYYY_MM_DD');
BEGIN
    IF to_regclass(part) IS NOT NULL THEN
        RETURN day;
    END IF;
    PERFORM pg_advisory_xact_lock(hashtextextended(part, 0));
    IF to_regclass(part) IS NULL THEN  -- and still not
        EXECUTE format('CREATE TABLE %I (LIKE chain_event INCLUDING ALL)', part);
        -- no policy of its own: it is reached through the whole, or not at all
        EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY', part);
        EXECUTE format(
            'ALTER TABLE chain_event ATTACH PARTITION %I FOR VALUES FROM (%L) TO (%L)',
            part, day, day + 1
        );
    END IF;
    RETURN day;
END
$$;

CREATE TABLE decision (
    id bigint NOT NULL, chain word NOT NULL, name word NOT NULL, at word NOT NULL,
    session word NOT NULL, action word NOT NULL, verdict word NOT NULL, strictest word NOT NULL,
    rule word NOT NULL, cwd word NOT NULL, agent word NOT NULL, text word NOT NULL,
    tenant word NOT NULL DEFAULT my_tenant(), PRIMARY KEY (tenant, id)
);
CREATE INDEX decision_name ON decision (tenant, chain, name);
CREATE INDEX decision_at ON decision (tenant, at);
CREATE INDEX decision_session ON decision (tenant, session);
CREATE TABLE outcome (
    id bigint NOT NULL, chain word NOT NULL, name word NOT NULL, at word NOT NULL, status word,
    result word, duration_ms bigint,
    tenant word NOT NULL DEFAULT my_tenant(), PRIMARY KEY (tenant, id)
);
CREATE INDEX outcome_name ON outcome (tenant, chain, name);
CREATE TABLE problem (
    chain word NOT NULL, branch bigint NOT NULL, seq bigint NOT NULL, kind word NOT NULL,
    said word NOT NULL, at word NOT NULL,
    tenant word NOT NULL DEFAULT my_tenant(), PRIMARY KEY (tenant, chain, branch, seq, kind)
);
CREATE TABLE root (
    minute word NOT NULL, hash word NOT NULL, heads word NOT NULL,
    tenant word NOT NULL DEFAULT my_tenant(), PRIMARY KEY (tenant, minute)
);

-- the service's own chain
CREATE TABLE audit_event (
    seq bigint NOT NULL, key word NOT NULL, at word NOT NULL, kind word NOT NULL,
    session word NOT NULL, subject word NOT NULL, body word NOT NULL, hash word NOT NULL,
    tenant word NOT NULL DEFAULT my_tenant(), PRIMARY KEY (tenant, seq), UNIQUE (tenant, key)
);

CREATE TABLE person (
    name word NOT NULL, shown word NOT NULL, made word NOT NULL, ended word NOT NULL,
    subject word NOT NULL,
    tenant word NOT NULL DEFAULT my_tenant(), PRIMARY KEY (tenant, name)
);
CREATE UNIQUE INDEX person_subject ON person (tenant, subject) WHERE subject != '';
CREATE TABLE membership (
    person word NOT NULL, role word NOT NULL, name word NOT NULL, "by" word NOT NULL,
    at word NOT NULL,
    tenant word NOT NULL DEFAULT my_tenant(), PRIMARY KEY (tenant, person, role, name)
);
CREATE TABLE credential (
    person word NOT NULL, kind word NOT NULL, value word NOT NULL, made word NOT NULL,
    last bigint NOT NULL,
    tenant word NOT NULL DEFAULT my_tenant(), PRIMARY KEY (tenant, person, kind)
);
CREATE TABLE api_token (
    id word NOT NULL, secret word NOT NULL, person word NOT NULL, role word NOT NULL,
    said word NOT NULL, made word NOT NULL, expires word NOT NULL, ended word NOT NULL,
    tenant word NOT NULL DEFAULT my_tenant(), PRIMARY KEY (tenant, id), UNIQUE (tenant, secret)
);
CREATE TABLE link (
    token word NOT NULL, person word NOT NULL, kind word NOT NULL, expires word NOT NULL,
    tenant word NOT NULL DEFAULT my_tenant(), PRIMARY KEY (tenant, token)
);
CREATE TABLE web_session (
    token word NOT NULL, proof word NOT NULL, person word NOT NULL, made word NOT NULL,
    expires word NOT NULL, seen word NOT NULL, strength word NOT NULL, proved word NOT NULL,
    tenant word NOT NULL DEFAULT my_tenant(), PRIMARY KEY (tenant, token)
);
CREATE INDEX web_session_person ON web_session (tenant, person);

CREATE TABLE stop (
    epoch bigint NOT NULL, place word NOT NULL, scope word NOT NULL, why word NOT NULL,
    "by" word NOT NULL, at word NOT NULL, signature word NOT NULL, lifted bigint NOT NULL,
    lifted_by word NOT NULL, lifted_at word NOT NULL, lifted_signature word NOT NULL,
    tenant word NOT NULL DEFAULT my_tenant(), PRIMARY KEY (tenant, epoch)
);
CREATE TABLE stop_seen (
    epoch bigint NOT NULL, machine word NOT NULL, at word NOT NULL, done boolean NOT NULL,
    ended bigint NOT NULL, survivors word NOT NULL, problems word NOT NULL, freed word NOT NULL,
    tenant word NOT NULL DEFAULT my_tenant(), PRIMARY KEY (tenant, epoch, machine)
);
CREATE TABLE stop_voice (
    epoch bigint NOT NULL, person word NOT NULL, at word NOT NULL,
    tenant word NOT NULL DEFAULT my_tenant(), PRIMARY KEY (tenant, epoch, person)
);

CREATE TABLE request (
    machine word NOT NULL, id word NOT NULL, chain word NOT NULL, digest word NOT NULL,
    decision word NOT NULL, session word NOT NULL, project word NOT NULL, requester word NOT NULL,
    agent word NOT NULL, shown word NOT NULL, roles word NOT NULL, quorum bigint NOT NULL,
    second_person boolean NOT NULL, seconds bigint NOT NULL, at word NOT NULL,
    expires word NOT NULL, state word NOT NULL, "by" word NOT NULL, settled word NOT NULL,
    reason word NOT NULL, reminded bigint NOT NULL,
    tenant word NOT NULL DEFAULT my_tenant(), PRIMARY KEY (tenant, machine, id)
);
CREATE INDEX request_at ON request (tenant, at);
CREATE INDEX request_open ON request (tenant, expires) WHERE state = 'pending';
CREATE TABLE vote (
    machine word NOT NULL, request word NOT NULL, person word NOT NULL, roles word NOT NULL,
    yes boolean NOT NULL, at word NOT NULL,
    tenant word NOT NULL DEFAULT my_tenant(), PRIMARY KEY (tenant, machine, request, person)
);
CREATE INDEX vote_at ON vote (tenant, at);
CREATE TABLE claim (
    machine word NOT NULL, request word NOT NULL, "by" word NOT NULL, expires word NOT NULL,
    chain word NOT NULL, holder word NOT NULL, at word NOT NULL,
    tenant word NOT NULL DEFAULT my_tenant(), PRIMARY KEY (tenant, machine, request)
);
CREATE TABLE hook (
    id word NOT NULL, url word NOT NULL, private boolean NOT NULL, made word NOT NULL,
    ended word NOT NULL,
    tenant word NOT NULL DEFAULT my_tenant(), PRIMARY KEY (tenant, id)
);
CREATE TABLE delivery (
    id word NOT NULL, hook word NOT NULL, kind word NOT NULL, body word NOT NULL, at word NOT NULL,
    due word NOT NULL, tries bigint NOT NULL, state word NOT NULL, said word NOT NULL,
    tenant word NOT NULL DEFAULT my_tenant(), PRIMARY KEY (tenant, id)
);
CREATE INDEX delivery_due ON delivery (tenant, due) WHERE state = 'due';

-- a hint for the other nodes, which look by themselves, too; it says nothing, for all may hear it
CREATE FUNCTION hint() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    NOTIFY interlock;
    RETURN NULL;
END
$$;
CREATE TRIGGER hint AFTER INSERT OR UPDATE ON stop EXECUTE FUNCTION hint();
CREATE TRIGGER hint AFTER INSERT OR UPDATE ON vote EXECUTE FUNCTION hint();

-- a row is there for the tenant whose key is shown, and for nobody else, the tables' owner either
DO $$
DECLARE
    one text;
BEGIN
    FOR one IN SELECT relname FROM pg_class
        WHERE relnamespace = 'interlock'::regnamespace AND relkind IN ('r', 'p')
        AND relname NOT IN ('tenant', 'migration')
    LOOP
        EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY', one);
        EXECUTE format(
            'CREATE POLICY own ON %I USING (tenant = (SELECT my_tenant()))', one
        );
    END LOOP;
END
$$;

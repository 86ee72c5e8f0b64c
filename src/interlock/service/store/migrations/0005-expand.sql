-- Where the record goes, and how far it is there, by numbers of arrival.
CREATE TABLE destination (
    id word NOT NULL, kind word NOT NULL, url word NOT NULL, private boolean NOT NULL,
    sealed word NOT NULL, authority word NOT NULL, made word NOT NULL, ended word NOT NULL,
    tenant word NOT NULL DEFAULT my_tenant(), PRIMARY KEY (tenant, id)
);
CREATE TABLE export_cursor (
    destination word NOT NULL, position bigint NOT NULL, through bigint NOT NULL,
    sent bigint NOT NULL, taken word NOT NULL, tries bigint NOT NULL, said word NOT NULL,
    failing word NOT NULL, due word NOT NULL, holder word NOT NULL, until word NOT NULL,
    tenant word NOT NULL DEFAULT my_tenant(), PRIMARY KEY (tenant, destination)
);
ALTER TABLE destination ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY own ON destination USING (tenant = (SELECT my_tenant()));
ALTER TABLE export_cursor ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY own ON export_cursor USING (tenant = (SELECT my_tenant()));

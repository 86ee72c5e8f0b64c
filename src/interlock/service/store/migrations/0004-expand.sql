-- Policies for the fleet: the signed documents, the texts they name, and what came of trying them.
CREATE TABLE policy_document (
    name word NOT NULL, body word NOT NULL,
    tenant word NOT NULL DEFAULT my_tenant(), PRIMARY KEY (tenant, name)
);
CREATE TABLE bundle (
    number bigint NOT NULL, hash word NOT NULL, content word NOT NULL, cases word NOT NULL,
    "by" word NOT NULL, at word NOT NULL, published word NOT NULL,
    tenant word NOT NULL DEFAULT my_tenant(), PRIMARY KEY (tenant, number)
);
CREATE INDEX bundle_hash ON bundle (tenant, hash);
CREATE TABLE trial (
    hash word NOT NULL, cases word NOT NULL, "by" word NOT NULL, at word NOT NULL,
    report word NOT NULL,
    tenant word NOT NULL DEFAULT my_tenant(), PRIMARY KEY (tenant, hash)
);
CREATE TRIGGER hint AFTER INSERT OR UPDATE ON policy_document EXECUTE FUNCTION hint();

ALTER TABLE policy_document ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY own ON policy_document USING (tenant = (SELECT my_tenant()));
ALTER TABLE bundle ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY own ON bundle USING (tenant = (SELECT my_tenant()));
ALTER TABLE trial ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY own ON trial USING (tenant = (SELECT my_tenant()));

-- A yes that counts several times, on all machines together.
ALTER TABLE vote ADD COLUMN uses bigint NOT NULL DEFAULT 1;
ALTER TABLE claim ADD COLUMN giver word NOT NULL DEFAULT '';
CREATE TABLE use_grant (
    machine word NOT NULL, request word NOT NULL, fleet word NOT NULL, uses bigint NOT NULL,
    spare bigint NOT NULL CHECK (spare >= 0), "by" word NOT NULL, expires word NOT NULL,
    tenant word NOT NULL DEFAULT my_tenant(), PRIMARY KEY (tenant, machine, request)
);
CREATE INDEX use_grant_fleet ON use_grant (tenant, fleet) WHERE spare > 0;
CREATE INDEX claim_giver ON claim (tenant, giver) WHERE giver <> '';
ALTER TABLE use_grant ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY own ON use_grant USING (tenant = (SELECT my_tenant()));

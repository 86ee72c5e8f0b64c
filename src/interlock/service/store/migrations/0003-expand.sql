-- Limits that machines share: what was used of each, and the parts that are lent to machines.
CREATE TABLE shared_use (
    scope word NOT NULL, what word NOT NULL, kind word NOT NULL, most bigint NOT NULL,
    each bigint NOT NULL, "every" bigint NOT NULL, since bigint NOT NULL, used bigint NOT NULL,
    paid bigint NOT NULL, seen bigint NOT NULL,
    tenant word NOT NULL DEFAULT my_tenant(), PRIMARY KEY (tenant, scope, what)
);
CREATE TABLE lease (
    machine word NOT NULL, id word NOT NULL, scope word NOT NULL, what word NOT NULL,
    amount bigint NOT NULL, used bigint NOT NULL, until bigint NOT NULL, gone bigint NOT NULL,
    hold bigint NOT NULL,
    tenant word NOT NULL DEFAULT my_tenant(), PRIMARY KEY (tenant, machine, id)
);
CREATE INDEX lease_out ON lease (tenant, scope, what) WHERE used = -1;
CREATE INDEX lease_gone ON lease (tenant, gone);

ALTER TABLE shared_use ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY own ON shared_use USING (tenant = (SELECT my_tenant()));
ALTER TABLE lease ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY own ON lease USING (tenant = (SELECT my_tenant()));

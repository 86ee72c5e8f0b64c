-- The same call on every machine, where a yes may be used on another one.
ALTER TABLE request ADD COLUMN fleet word NOT NULL DEFAULT '';
CREATE INDEX request_fleet ON request (tenant, fleet) WHERE fleet <> '';

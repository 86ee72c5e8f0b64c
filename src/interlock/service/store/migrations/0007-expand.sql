-- What was asked about is a small part of all, and counted over months.
CREATE INDEX decision_asked ON decision (tenant, at) WHERE verdict = 'ask';

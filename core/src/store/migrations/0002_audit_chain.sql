-- The ledger becomes append-only, and its rows form hash chains.
-- The rows of before belong to no chain: they have the writer '' and one checkpoint that counts them.

CREATE TABLE toolkeep_audit_rows (
    tenant      {key}   NOT NULL,
    id          {key}   NOT NULL,
    at_ms       {int}   NOT NULL,
    phase       {key}   NOT NULL,
    agent       {key},
    user_key    {key},
    session     {key},
    tool        {text}  NOT NULL,
    called_as   {text}  NOT NULL,
    decision    {text}  NOT NULL,
    code        {text},
    rule        {text},
    arguments   {bytes} NOT NULL,
    duration_us {int},
    is_error    {int}   NOT NULL,
    run         {key},
    depth       {int}   NOT NULL,
    writer      {key}   NOT NULL,
    segment     {int}   NOT NULL,
    position    {int}   NOT NULL,
    hash        {bytes} NOT NULL,
    PRIMARY KEY (tenant, id, phase)
) {plain};

CREATE TABLE toolkeep_audit_segments (
    tenant      {key}   NOT NULL,
    writer      {key}   NOT NULL,
    segment     {int}   NOT NULL,
    row_count   {int}   NOT NULL,
    first_at_ms {int}   NOT NULL,
    last_at_ms  {int}   NOT NULL,
    hash        {bytes} NOT NULL,
    previous    {bytes} NOT NULL,
    state       {text}  NOT NULL,
    PRIMARY KEY (tenant, writer, segment)
) {plain};

INSERT INTO toolkeep_audit_rows (tenant, id, at_ms, phase, agent, user_key, session, tool,
    called_as, decision, code, rule, arguments, duration_us, is_error, run, depth, writer, segment,
    position, hash)
SELECT tenant, id, at_ms, phase, agent, user_key, session, tool, called_as, decision, code, rule,
    arguments, duration_us, is_error, run, depth, '', 0,
    ROW_NUMBER() OVER (PARTITION BY tenant ORDER BY id), CAST('' AS {bytes})
FROM toolkeep_audit;

INSERT INTO toolkeep_audit_segments (tenant, writer, segment, row_count, first_at_ms, last_at_ms,
    hash, previous, state)
SELECT tenant, '', 0, COUNT(*), MIN(at_ms), MAX(at_ms), CAST('' AS {bytes}), CAST('' AS {bytes}),
    'closed'
FROM toolkeep_audit GROUP BY tenant;

DROP TABLE toolkeep_audit;

CREATE INDEX toolkeep_audit_rows_by_session ON toolkeep_audit_rows (tenant, session, id)
    WHERE session IS NOT NULL;

CREATE UNIQUE INDEX toolkeep_audit_rows_by_place
    ON toolkeep_audit_rows (tenant, writer, segment, position);

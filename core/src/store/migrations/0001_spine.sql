-- Agents, audit rows, events, rate windows, artifacts.
-- Words in braces are types and table endings, which each database spells its own way.

CREATE TABLE toolkeep_schema (
    version       {int} NOT NULL PRIMARY KEY,
    applied_at_ms {int} NOT NULL
) {plain};

CREATE TABLE toolkeep_agents (
    tenant        {key}  NOT NULL,
    id            {key}  NOT NULL,
    description   {text} NOT NULL,
    allow         {text},
    deny          {text} NOT NULL,
    settings      {text} NOT NULL,
    version       {int}  NOT NULL,
    updated_at_ms {int}  NOT NULL,
    PRIMARY KEY (tenant, id)
) {plain};

CREATE TABLE toolkeep_audit (
    tenant      {key}   NOT NULL,
    id          {key}   NOT NULL,
    at_ms       {int}   NOT NULL,
    phase       {text}  NOT NULL,
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
    PRIMARY KEY (tenant, id)
) {plain};

CREATE INDEX toolkeep_audit_by_session ON toolkeep_audit (tenant, session, id)
    WHERE session IS NOT NULL;

CREATE TABLE toolkeep_event_counters (
    tenant   {key} NOT NULL PRIMARY KEY,
    last_seq {int} NOT NULL
) {clustered};

CREATE TABLE toolkeep_events (
    tenant  {key}  NOT NULL,
    seq     {int}  NOT NULL,
    at_ms   {int}  NOT NULL,
    kind    {text} NOT NULL,
    subject {key}  NOT NULL,
    data    {text} NOT NULL,
    PRIMARY KEY (tenant, seq)
) {plain};

CREATE TABLE toolkeep_rates (
    tenant        {key} NOT NULL,
    bucket        {key} NOT NULL,
    at_ms         {int} NOT NULL,
    id            {key} NOT NULL,
    expires_at_ms {int} NOT NULL,
    PRIMARY KEY (tenant, bucket, at_ms, id)
) {clustered};

CREATE INDEX toolkeep_rates_by_expiry ON toolkeep_rates (expires_at_ms);

CREATE TABLE toolkeep_artifacts (
    tenant        {key}   NOT NULL,
    id            {key}   NOT NULL,
    session       {key},
    tool          {key}   NOT NULL,
    mime          {text}  NOT NULL,
    created_at_ms {int}   NOT NULL,
    body          {bytes} NOT NULL,
    PRIMARY KEY (tenant, id)
) {plain};

CREATE INDEX toolkeep_artifacts_by_age ON toolkeep_artifacts (tenant, created_at_ms);

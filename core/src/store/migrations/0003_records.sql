-- Context files, documents, approvals, rules, grants, custom tools, credentials, sessions, leases.
-- A key part that is empty means "all": a file of an agent and of no user has the user ''.

CREATE TABLE toolkeep_context_files (
    tenant        {key}   NOT NULL,
    agent         {key}   NOT NULL,
    user_key      {key}   NOT NULL,
    name          {key}   NOT NULL,
    size          {int}   NOT NULL,
    body          {bytes} NOT NULL,
    version       {int}   NOT NULL,
    updated_at_ms {int}   NOT NULL,
    PRIMARY KEY (tenant, agent, user_key, name)
) {plain};

CREATE TABLE toolkeep_documents (
    tenant        {key}   NOT NULL,
    agent         {key}   NOT NULL,
    user_key      {key}   NOT NULL,
    path          {key}   NOT NULL,
    mime          {text}  NOT NULL,
    size          {int}   NOT NULL,
    hash          {text}  NOT NULL,
    body          {bytes} NOT NULL,
    version       {int}   NOT NULL,
    updated_at_ms {int}   NOT NULL,
    PRIMARY KEY (tenant, agent, user_key, path)
) {plain};

CREATE TABLE toolkeep_approvals (
    tenant        {key}  NOT NULL,
    id            {key}  NOT NULL,
    digest        {text} NOT NULL,
    agent         {key},
    user_key      {key},
    session       {key},
    tool          {text} NOT NULL,
    request       {text} NOT NULL,
    state         {text} NOT NULL,
    decided_by    {key},
    reason        {text},
    edited        {text},
    created_at_ms {int}  NOT NULL,
    expires_at_ms {int}  NOT NULL,
    decided_at_ms {int},
    updated_at_ms {int}  NOT NULL,
    PRIMARY KEY (tenant, id)
) {plain};

CREATE INDEX toolkeep_approvals_by_state ON toolkeep_approvals (tenant, state, id);
CREATE INDEX toolkeep_approvals_by_session ON toolkeep_approvals (tenant, session, id);
CREATE INDEX toolkeep_approvals_by_agent ON toolkeep_approvals (tenant, agent, id);
CREATE INDEX toolkeep_approvals_by_digest ON toolkeep_approvals (tenant, digest, id)
    WHERE state IN ('pending', 'allowed');
CREATE INDEX toolkeep_approvals_pending ON toolkeep_approvals (expires_at_ms)
    WHERE state = 'pending';

CREATE TABLE toolkeep_rules (
    tenant        {key}  NOT NULL,
    kind          {key}  NOT NULL,
    id            {key}  NOT NULL,
    agent         {key}  NOT NULL,
    user_key      {key}  NOT NULL,
    effect        {text} NOT NULL,
    pattern       {text} NOT NULL,
    settings      {text} NOT NULL,
    source        {text} NOT NULL,
    expires_at_ms {int},
    version       {int}  NOT NULL,
    updated_at_ms {int}  NOT NULL,
    PRIMARY KEY (tenant, kind, id)
) {plain};

CREATE INDEX toolkeep_rules_by_expiry ON toolkeep_rules (expires_at_ms)
    WHERE expires_at_ms IS NOT NULL;

CREATE TABLE toolkeep_grants (
    tenant        {key}  NOT NULL,
    kind          {key}  NOT NULL,
    resource      {key}  NOT NULL,
    agent         {key}  NOT NULL,
    user_key      {key}  NOT NULL,
    effect        {text} NOT NULL,
    settings      {text} NOT NULL,
    granted_by    {text} NOT NULL,
    version       {int}  NOT NULL,
    updated_at_ms {int}  NOT NULL,
    PRIMARY KEY (tenant, kind, resource, agent, user_key)
) {plain};

CREATE TABLE toolkeep_custom_tools (
    tenant          {key}  NOT NULL,
    agent           {key}  NOT NULL,
    name            {key}  NOT NULL,
    description     {text} NOT NULL,
    parameters      {text} NOT NULL,
    command         {text} NOT NULL,
    working_dir     {text},
    timeout_seconds {int}  NOT NULL,
    enabled         {int}  NOT NULL,
    settings        {text} NOT NULL,
    created_by      {text} NOT NULL,
    env_names       {text} NOT NULL,
    env             {bytes},
    version         {int}  NOT NULL,
    updated_at_ms   {int}  NOT NULL,
    PRIMARY KEY (tenant, agent, name)
) {plain};

CREATE TABLE toolkeep_credentials (
    tenant        {key}   NOT NULL,
    name          {key}   NOT NULL,
    agent         {key}   NOT NULL,
    user_key      {key}   NOT NULL,
    kind          {text}  NOT NULL,
    host_scope    {text}  NOT NULL,
    settings      {text}  NOT NULL,
    key_id        {text}  NOT NULL,
    value         {bytes} NOT NULL,
    version       {int}   NOT NULL,
    updated_at_ms {int}   NOT NULL,
    PRIMARY KEY (tenant, name, agent, user_key)
) {plain};

CREATE TABLE toolkeep_sessions (
    tenant        {key}  NOT NULL,
    id            {key}  NOT NULL,
    agent         {key}  NOT NULL,
    user_key      {key}  NOT NULL,
    channel       {text} NOT NULL,
    chat          {text} NOT NULL,
    label         {text} NOT NULL,
    provider      {text} NOT NULL,
    model         {text} NOT NULL,
    summary       {text} NOT NULL,
    settings      {text} NOT NULL,
    messages      {int}  NOT NULL,
    input_tokens  {int}  NOT NULL,
    output_tokens {int}  NOT NULL,
    compactions   {int}  NOT NULL,
    created_at_ms {int}  NOT NULL,
    version       {int}  NOT NULL,
    updated_at_ms {int}  NOT NULL,
    PRIMARY KEY (tenant, id)
) {plain};

CREATE INDEX toolkeep_sessions_by_use ON toolkeep_sessions (tenant, updated_at_ms, id);
CREATE INDEX toolkeep_sessions_by_agent
    ON toolkeep_sessions (tenant, agent, updated_at_ms, id);

CREATE TABLE toolkeep_session_messages (
    tenant  {key}   NOT NULL,
    session {key}   NOT NULL,
    seq     {int}   NOT NULL,
    at_ms   {int}   NOT NULL,
    role    {text}  NOT NULL,
    content {bytes} NOT NULL,
    PRIMARY KEY (tenant, session, seq)
) {plain};

CREATE TABLE toolkeep_leases (
    tenant        {key}  NOT NULL,
    kind          {key}  NOT NULL,
    name          {key}  NOT NULL,
    holder        {key}  NOT NULL,
    epoch         {int}  NOT NULL,
    expires_at_ms {int}  NOT NULL,
    data          {text},
    PRIMARY KEY (tenant, kind, name)
) {plain};

CREATE INDEX toolkeep_leases_by_expiry ON toolkeep_leases (expires_at_ms);

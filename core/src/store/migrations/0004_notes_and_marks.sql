-- What else is worth knowing of a call, and what a session has seen.

ALTER TABLE toolkeep_audit_rows ADD COLUMN notes {text};

CREATE TABLE toolkeep_session_marks (
    tenant  {key} NOT NULL,
    session {key} NOT NULL,
    mark    {key} NOT NULL,
    at_ms   {int} NOT NULL,
    PRIMARY KEY (tenant, session, mark)
) {clustered};

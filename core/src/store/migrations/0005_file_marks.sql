-- Files that sessions with marks have written.

CREATE TABLE toolkeep_file_marks (
    tenant  {key} NOT NULL,
    file    {key} NOT NULL,
    mark    {key} NOT NULL,
    at_ms   {int} NOT NULL,
    PRIMARY KEY (tenant, file, mark)
) {clustered};

CREATE INDEX toolkeep_file_marks_by_age ON toolkeep_file_marks (at_ms);

use super::super::test_marks::{leaves, masks};

#[test]
fn the_password_of_a_line_is_masked() {
    masks("db.example.org:5432:orders:app:«Xq7-Wd.e2»");
    masks("# host:port:db:user:pw\n*:5432:*:app:«Xq7-Wd.e2»\n");
    masks("echo 'localhost:5432:orders:app:«Xq7-Wd.e2»' > ~/.pgpass");
}

#[test]
fn other_lines_with_the_port_stay() {
    leaves("db.example.org:5432:orders");
    leaves("hostname:5432:database:username:password");
    leaves("127.0.0.1:5432:");
    leaves("ports: 5432:5432:tcp");
    leaves("localhost:5432:orders:app:$PASSWORD");
}

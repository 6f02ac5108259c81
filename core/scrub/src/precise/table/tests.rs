use super::super::test_marks::{leaves, masks, scrub};
use crate::{Profile, Scrubber, TagKey};

#[test]
fn columns_of_files_with_separators() {
    for text in [
        "user,password\nbob,«hunter2»\nalice,«sunshine»\n",
        "name,url,username,password,note\r\nacme,https://acme.org,bob,\"«p4ss,word9»\",\r\n",
        "\"user\",\"password\"\n\"bob\",\"«hunter,2»\"\n\"al\"\"ice\",\"«x\"\"y9kLm»\"",
        "user;password;role\nbob;«hunter2»;admin\n",
        "user\tpassword\nbob\t«hunter two 2»\n",
        "id|username|password\n1|bob|«hunter2»\n2|eve|«letmein99»\n",
        "password,user\n«hunter2»,bob\n",
        "User name,Password,Access key ID,Console login link\nbob,«x9!kQz(Lm»,,https://a.org\n",
        "$ psql --csv -c 'select login, password from staff'\nlogin,password\nbob,«hunter2»\n",
        "     1\tuser,password\n     2\tbob,«hunter2»\n",
        "id,user,password,api_key\n1,bob,«hunter2»,«Zk29dLq81mNx7PwR4tYv»\n",
    ] {
        masks(text);
    }
}

#[test]
fn tables_that_clients_print() {
    for text in [
        " id | username | password \n----+----------+----------\n  1 | bob      | «hunter2»\n  2 | eve      | «letmein99»\n(2 rows)\n",
        " password \n----------\n «hunter2»\n «letmein99»\n(2 rows)\n",
        "+----+----------+-----------+\n| id | username | password  |\n+----+----------+-----------+\n|  1 | bob      | «hunter2»   |\n+----+----------+-----------+\n1 row in set (0.00 sec)\n",
        "| user | password |\n|------|---------:|\n| bob | «hunter2» |\n\nBoth are new.\n",
        "user | password\n---|---\nbob | «hunter2»\n",
        "Name   Password    Role\n----   --------    ----\nbob    «hunter2»     admin\nJosé   «letmein99»   ops\n",
        "USERNAME    PASSWORD          PASSWORD2\n----------  ----------------  ---------\nregistry    «xK29dLq81mNx7PwR»  «zzTop99x!»\n",
        "┌──────┬───────────┐\n│ user │ password  │\n├──────┼───────────┤\n│ bob  │ «hunter2»   │\n└──────┴───────────┘\n",
    ] {
        masks(text);
    }
}

#[test]
fn rows_that_statements_fill() {
    for text in [
        "INSERT INTO users (name, password) VALUES ('bob', '«hunter2»'), ('eve', '«it''s9me»');",
        "insert into \"app\".\"users\" (\"id\", \"password\", \"at\")\nvalues\n  (1, '«hunter2»', now()),\n  (2, '«let(me,in)»', '2026-01-01');",
        "INSERT INTO `users` (`id`, `password`) VALUES (1, E'«hunter2»');",
        "COPY public.users (id, name, password) FROM stdin;\n1\tbob\t«hunter2»\n2\teve\t«letmein99»\n\\.\n\nSELECT 1;\n",
    ] {
        masks(text);
    }
}

#[test]
fn what_only_looks_like_a_table_stays() {
    for text in [
        // The structure of a table, where `password` is a row.
        "+----------+--------------+\n| Field    | Type         |\n+----------+--------------+\n| id       | int          |\n| password | varchar(255) |\n| email    | varchar(99)  |\n+----------+--------------+\n",
        "column,type\nid,int\npassword,varchar\nemail,text\n",
        "| Option | Meaning |\n|---|---|\n| user | the name |\n| password | the word |\n| host | the place |\n",
        "| Method | Password |\n|---|---|\n| Basic | required |\n| Key | unsupported |\n| LDAP | SHA-256 |\n| SASL | argon2 |\n| PAM | 8+ characters |\n",
        // Sentences and code.
        "keep the user, password\nand the rest, somewhere\n",
        "fn new(\n    user,\n    password,\n    host,\n)\n",
        "from x import user, password\nimport a, b\n",
        "Password\n--------\nThe password is asked for.\n",
        " password\n to be sure\n",
        // Nothing is in the cells.
        "user,password\nbob,\neve,********\nmallory,changeme\n",
        "user,password\nbob\n",
        "token,lemma,tag\nthe,the,DET\nquick,quick,ADJ\n",
        "key,value\ncolour,blue\n",
        "INSERT INTO users (name, password) VALUES (?, ?)",
        "INSERT INTO users (name, password) VALUES ('%s', '%s'), (:name, :password), ($1, $2)",
        "INSERT INTO users (name, password) VALUES ('bob', crypt('a', gen_salt('bf')))",
        "INSERT INTO users (name, password) SELECT name, 'x' FROM old",
        "copy the file (password included) to there\n",
    ] {
        leaves(text);
    }
}

#[test]
fn a_table_ends_where_its_rows_do() {
    masks("user,password\nbob,«hunter2»\n\neve,sunshine\n");
    masks("user,password\nbob,«hunter2»\nthat was all\neve,sunshine\n");
    masks("INSERT INTO u (a, password) VALUES ('b', '«hunter2»');\n('eve', 'sunshine')");
    // What was masked may have been cells.
    masks("user,password\nbob,«hunter2»\nold,was [REDACTED:token]\neve,sunshine\n");
    masks(
        "name  password\n----  --------\nbob   «hunter2»\nold   [REDACTED:token]\neve   sunshine\n",
    );
}

#[test]
fn the_last_row_of_a_long_table_is_masked_in_pieces_as_in_the_whole() {
    let scrubber = Scrubber::new(Profile::Precise, TagKey::new([7; 32]));
    let rows = |row: fn(usize) -> String| (0..2_000).map(row).collect::<String>();
    for text in [
        format!("id,user,password\n{}", rows(|n| format!("{n},user{n},pw-{n}-Zk9q\n"))),
        format!(
            "INSERT INTO u (id, password) VALUES {};",
            rows(|n| format!("({n}, 'pw-{n}-Zk9q'),\n")).trim_end_matches(",\n")
        ),
    ] {
        let whole = scrub(&text);
        assert_eq!(whole.matches("[REDACTED:password").count(), 2_000);
        assert!(!whole.contains("pw-"));
        for size in [1, 700, 5_000] {
            let mut stream = scrubber.stream();
            let pieces = text.as_bytes().chunks(size);
            let mut out: Vec<u8> = pieces.flat_map(|piece| stream.push(piece)).collect();
            out.extend(stream.finish());
            assert!(out == whole.as_bytes(), "in pieces of {size}");
        }
    }
}

#[test]
fn what_is_seen_for_itself_between_the_cells_is_masked_too() {
    let key = format!("ghp_{}", "a1B2c3D4".repeat(5).get(..36).unwrap());
    let masked = scrub(&format!("token_note,password,note\n{key},hunter2,see {key}\n"));
    assert!(!masked.contains("ghp_") && !masked.contains("hunter2"), "{masked}");
}

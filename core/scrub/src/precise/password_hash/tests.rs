use super::super::test_marks::{leaves, masks};

fn letters(count: usize) -> String {
    "aB3dE6gH9jK2mN5pQ8sT1vW4yZ./".repeat(4)[..count].to_owned()
}

#[test]
fn a_password_hash_is_masked() {
    masks(&format!("admin:«$2y$10${}»", letters(53)));
    masks(&format!("{{\"hash\":\"«$2b$12${}»\"}}", letters(53)));
    masks(&format!("root:«$6$aBcDeF12${}»:19000:0:99999:7:::", letters(86)));
    masks(&format!("root:«$6$rounds=5000$aBcDeF12${}»:19000:0", letters(86)));
    masks(&format!("app:«$5$aBcDeF12${}»:", letters(43)));
    masks(&format!("app:«$1$aBcDeF12${}»", letters(22)));
    masks(&format!("app:«$apr1$aBcDeF12${}»", letters(22)));
    masks(&format!("app:«$y$j9T$aBcDeF12${}»:", letters(43)));
    masks(&format!("x = '«$argon2id$v=19$m=65536,t=3,p=4${}${}»'", letters(22), letters(43)));
    masks(&format!("x = '«pbkdf2_sha256$390000$aBcDeF12${}=»'", letters(43)));
    masks(&format!("userPassword: «{{SSHA}}{}»", letters(32).replace('.', "+")));
}

#[test]
fn what_only_begins_like_a_hash_stays() {
    leaves("$1$2$3");
    leaves("a regex: ^$6$ or $5$aBcDeF12");
    leaves("$2b$ is the mark of bcrypt");
    leaves("$argon2id$v=19$m=65536,t=3,p=4$<salt>$<hash>");
    leaves(&format!("$2b$12${}", "x".repeat(53)));
    leaves("{SSHA} is a scheme of LDAP");
    leaves(&"$1$".repeat(200));
}

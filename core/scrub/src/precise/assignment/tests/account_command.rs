//! Passwords among the words of commands that manage accounts.

use super::{assert_leaves, assert_masks, password};

#[test]
fn the_password_of_a_command_for_accounts_is_masked() {
    assert_masks(
        &[
            "net user backupadm § /add",
            "C:\\> NET USER svc_sql § /add /domain\n",
            "net user bob \"§\"",
            "sudo htpasswd -b /etc/nginx/.htpasswd deploy §",
            "htpasswd -nb admin §",
            "htpasswd -cbB -C 12 .htpasswd admin § && echo done",
            "echo 'deploy:§' | chpasswd",
            "echo \"root:§\" | sudo chpasswd",
            "echo deploy:§ | chpasswd",
            "chpasswd <<< 'bob:§'",
            "chpasswd:\n  list: |\n    ubuntu:§\n  expire: false\n",
            "net use Z: \\\\fs01\\share /user:ACME\\jdoe §",
            "net use \\\\fs01\\ipc$ § /user:bob",
            "rabbitmqctl add_user worker §",
            "sudo rabbitmqctl change_password worker '§'",
            "echo '§' | sudo -S systemctl restart nginx",
            "echo -n \"§\" | cryptsetup luksOpen /dev/sdb1 data -",
            "snmpwalk -v3 -l authPriv -u mon -a SHA -A '§' 10.0.0.1",
        ],
        &password(),
    );
}

#[test]
fn a_community_of_snmp_is_masked() {
    let rows = [
        "snmp-server community § RO",
        "rocommunity § 10.0.0.0/8",
        "snmpwalk -v2c -c § 10.0.0.1 system",
    ];
    assert_masks(&rows, &["9fKx", "2LmQ"].concat());
}

#[test]
fn commands_for_accounts_without_a_password_stay() {
    assert_leaves(&[
        "net user administrator *",
        "net user bob /delete",
        "net user growth slowed",
        "the net user base is growing",
        "htpasswd -c /etc/htpasswd user",
        "printf 'bob:%s' \"$PW\" | chpasswd",
        "cat users.txt | sudo chpasswd",
        "snmp-server community public RO",
        "snmpwalk -v2c -c public 10.0.0.1",
        "snmp agents have a community string",
        "net use Z: /delete",
        "net use of water grew",
        "net use LPT1: \\\\srv\\printer",
        "net use 1500 kWh",
        "rabbitmqctl add_user {{ rabbit_user }} {{ rabbit_pass }}",
        "Use rabbitmqctl add_user to create a user",
        "echo \"nameserver 8.8.8.8\" | sudo -s tee /etc/resolv.conf",
        "rabbitmqctl list_users",
        "rabbitmqctl add_user worker",
        "echo yes | sudo -s",
        "cryptsetup luksOpen /dev/sdb1 data",
        "chpasswd:\n  expire: false\n",
    ]);
}

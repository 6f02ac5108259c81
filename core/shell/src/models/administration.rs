//! Programs that change disks, users, rights, the kernel and the firewall, and programs that mine.
//!
//! Most of them have few harmless uses in a workspace. Their options seldom matter: the program
//! itself is the effect.

use super::kinds::{WORDS, changes_system, ex, model, nothing, writes_devices};
use crate::effect::{Access, Effect, SystemChange};
use crate::model::Model;

/// The programs of this file, each with its options, its effects and its examples.
pub(super) const TABLE: &[Model] = &[
    model(
        &["mkfs mkfs.ext2 mkfs.ext3 mkfs.ext4 mkfs.xfs mkfs.btrfs mkfs.vfat mkfs.fat mkfs.ntfs \
             mkfs.f2fs mkfs.exfat mkfs.minix mkfs.cramfs mkfs.bfs mke2fs mkdosfs mkntfs mkswap \
             fdisk sfdisk cfdisk gdisk sgdisk cgdisk parted partprobe wipefs blkdiscard hdparm \
             nvme sg_format badblocks ddrescue tune2fs resize2fs e2fsck fsck fsck.ext4 xfs_repair \
             debugfs dumpe2fs lvremove vgremove pvremove lvcreate vgcreate pvcreate lvresize \
             lvextend lvreduce lvchange vgchange mdadm dmsetup cryptsetup zpool zfs btrfs \
             flashrom efibootmgr grub-install newfs newfs_msdos diskpart fdformat flashcp \
             flash_erase nandwrite bcdedit cipher vssadmin wbadmin fsutil"],
        &WORDS,
        |report, parsed| {
            let first = parsed.operands.first().and_then(|word| word.value.as_known());
            let lists = matches!(report.name(), "fdisk" | "sfdisk" | "parted" | "gdisk");
            let shows = match first {
                Some("-l" | "--list") => lists,
                Some(
                    "list" | "status" | "print" | "get" | "show" | "--help" | "--version" | "-V",
                ) => true,
                _ => false,
            };
            if !shows || report.name().starts_with("mkfs") {
                writes_devices(report, parsed);
            }
        },
        &[
            ex("mkfs.ext4 /dev/sdb", &["device"]),
            ex("wipefs -a /dev/sda", &["device"]),
            ex("fdisk -l", &[]),
            ex("lvremove -f vg0/data", &["device"]),
        ],
    ),
    model(
        &["pvs vgs lvs pvdisplay vgdisplay lvdisplay pvscan vgscan lvscan zdb \
             biosdecode"],
        &WORDS,
        nothing,
        &[ex("lvs -a", &[])],
    ),
    model(
        &["mount umount swapon swapoff losetup pivot_root fusermount fusermount3 sshfs \
             mount.nfs mount.cifs mountpoint udisksctl bindfs mergerfs encfs gocryptfs veracrypt \
             switch_root"],
        &WORDS,
        |report, parsed| {
            let name = report.name();
            let lists: &[&str] = match name {
                "mount" => &["-l", "-V", "-h", "--help", "--version"],
                "losetup" => &["-a", "-l", "--list", "--all", "-h", "--help"],
                "swapon" => &["-s", "--show", "--summary", "-h", "--help"],
                "udisksctl" => &["status", "info", "dump", "monitor", "help"],
                _ => &["-V", "-h", "--help", "--version"],
            };
            let shows = match &parsed.operands[..] {
                [] => matches!(name, "mount" | "losetup" | "swapon"),
                [first, ..] => first
                    .value
                    .as_known()
                    .is_some_and(|text| lists.contains(&text) || text.starts_with("--show=")),
            } || name == "mountpoint";
            if !shows {
                report.add(Effect::Device { what: format!("{} (mount)", report.name()) });
            }
        },
        &[
            ex("mount /dev/sda1 /mnt", &["device"]),
            ex("mount | grep ext4", &[]),
            ex("umount /mnt", &["device"]),
            ex("mount -a", &["device"]),
            ex("swapon --show", &[]),
        ],
    ),
    model(
        &["iptables ip6tables iptables-restore ip6tables-restore iptables-legacy iptables-nft \
             nft ebtables arptables ufw firewall-cmd pfctl ipset ipfw netsh iptables-save \
             ip6tables-save socketfilterfw"],
        &WORDS,
        |report, parsed| {
            let words = || parsed.operands.iter().map(|word| word.value.as_known().unwrap_or("?"));
            let shows = |text: &str| match report.name() {
                "ufw" => text == "status" || text == "version",
                "nft" | "ipset" => text == "list",
                "netsh" => text == "show",
                "firewall-cmd" => {
                    text == "--state" || text.starts_with("--list") || text.starts_with("--get")
                }
                "pfctl" => text.starts_with("-s"),
                _ => {
                    matches!(text, "--list" | "--list-rules" | "-h" | "--help" | "-V" | "--version")
                        || text.strip_prefix('-').is_some_and(|letters| {
                            letters.contains(['L', 'S'])
                                && letters.bytes().all(|byte| b"LSnvxt".contains(&byte))
                        })
                }
            };
            let changes = |text: &str| {
                [
                    "-A", "-D", "-I", "-R", "-F", "-X", "-P", "-N", "-Z", "-E", "flush", "delete",
                    "add",
                ]
                .contains(&text)
            };
            let shows = report.name().ends_with("-save")
                || words().take(4).any(shows) && !words().any(changes);
            if !shows {
                report.add(Effect::System(SystemChange::Firewall));
            }
        },
        &[
            ex("iptables -F", &["system:firewall"]),
            ex("iptables -t nat -nvL", &[]),
            ex("nft list ruleset", &[]),
            ex("ufw disable", &["system:firewall"]),
        ],
    ),
    model(
        &["modprobe insmod rmmod depmod dkms kmod kpatch bpftool bpftrace stap kextload \
             kextunload ldconfig"],
        &WORDS,
        |report, parsed| {
            for operand in parsed
                .operands
                .iter()
                .filter(|word| {
                    report.invocation.program.value.prefix().ends_with("insmod")
                        && !word.value.prefix().starts_with('-')
                })
                .take(1)
            {
                report.file(Access::Read, operand);
            }
            report.add(Effect::System(SystemChange::Kernel));
        },
        &[ex("insmod evil.ko", &["system:kernel"]), ex("rmmod x", &["system:kernel"])],
    ),
    model(
        &["useradd userdel usermod adduser deluser addgroup delgroup groupadd groupdel groupmod \
             gpasswd chpasswd chgpasswd newusers passwd chage chfn chsh vipw vigr pwconv pwunconv \
             grpconv faillock pam-auth-update authselect dscl dseditgroup sysadminctl newuidmap \
             newgidmap smbpasswd kadmin lchsh"],
        &WORDS,
        |report, _| report.add(Effect::Users),
        &[ex("usermod -aG docker me", &["users"]), ex("passwd root", &["users"])],
    ),
    model(
        &["visudo sudoreplay setuid keyctl ksu sux calife dzdo pbrun please sudo-rs su-rs runas"],
        &WORDS,
        |report, _| report.add(Effect::Privilege { how: report.name().to_owned() }),
        &[ex("visudo -f x", &["privilege"])],
    ),
    model(
        &["su doas sudo sudoedit pkexec run0 runuser gosu su-exec unshare nsenter setpriv capsh \
             chroot sg newgrp machinectl"],
        &WORDS,
        |report, _| report.add(Effect::Privilege { how: report.name().to_owned() }),
        &[
            ex("su", &["code:stdin", "privilege"]),
            ex("runuser -l postgres", &["code:stdin", "privilege"]),
            ex("sudo -i", &["privilege"]),
        ],
    ),
    model(
        &["update-alternatives alternatives eselect update-grub grub-mkconfig update-initramfs \
             mkinitcpio dracut locale-gen dpkg-reconfigure debconf-set-selections \
             update-ca-certificates setenforce aa-teardown aa-complain aa-disable semanage \
             setsebool auditctl quotaon setquota edquota nvram csrutil spctl pmset tmutil bless"],
        &WORDS,
        changes_system,
        &[
            ex("update-alternatives --config java", &["system:other"]),
            ex("setenforce 0", &["system:other"]),
        ],
    ),
    model(
        &["xmrig xmr-stak xmrig-proxy minerd cpuminer cpuminer-multi cpuminer-opt ethminer \
             nbminer t-rex trex lolminer lolMiner gminer phoenixminer PhoenixMiner nanominer \
             teamredminer bfgminer cgminer ccminer srbminer SRBMiner-MULTI wildrig wildrig-multi \
             randomx xmrig-cuda nheqminer ewbf bminer kawpowminer progpowminer verusminer \
             hellminer rigel bzminer onezerominer cryptonight nicehash sgminer minergate \
             minergate-cli danila-miner moneroocean xmr-stak-cpu monerod p2pool"],
        &WORDS,
        |report, _| report.add(Effect::Mining),
        &[ex("nanominer config.ini", &["mining"])],
    ),
];

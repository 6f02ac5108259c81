//! Programs that change disks, users, rights, the kernel and the firewall, and programs that mine.

use super::super::effect::{Access, Effect, SystemChange};
use super::super::model::Model;
use super::kinds::{WORDS, changes_system, ex, model, nothing, writes_devices};

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
            let shows = parsed.operands.iter().any(|word| {
                matches!(
                    word.value.as_known(),
                    Some("-l" | "--list" | "--help" | "-V" | "list" | "status" | "print" | "get")
                )
            });
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
        &["pvs vgs lvs pvdisplay vgdisplay lvdisplay pvscan vgscan lvscan smartctl zdb \
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
            let shows = parsed.operands.is_empty()
                || report.name() == "mountpoint"
                || parsed.operands.iter().any(|word| {
                    matches!(
                        word.value.as_known(),
                        Some(
                            "-l" | "--list"
                                | "-s"
                                | "--show"
                                | "--summary"
                                | "-V"
                                | "--help"
                                | "-a"
                                | "-h"
                                | "status"
                        )
                    )
                }) && !parsed
                    .operands
                    .iter()
                    .any(|word| word.value.prefix().starts_with('/') && report.name() != "swapon");
            if !shows || report.name() == "umount" || report.name() == "swapoff" {
                report.add(Effect::Device { what: format!("{} (mount)", report.name()) });
            }
        },
        &[
            ex("mount /dev/sda1 /mnt", &["device"]),
            ex("mount | grep ext4", &[]),
            ex("umount /mnt", &["device"]),
            ex("swapon --show", &[]),
        ],
    ),
    model(
        &["iptables ip6tables iptables-restore ip6tables-restore iptables-legacy iptables-nft \
             nft ebtables arptables ufw firewall-cmd pfctl ipset ipfw netsh iptables-save \
             ip6tables-save socketfilterfw"],
        &WORDS,
        |report, parsed| {
            let shows = report.name().ends_with("-save")
                || parsed.operands.iter().any(|word| {
                    matches!(
                        word.value.as_known(),
                        Some(
                            "-L" | "--list"
                                | "-S"
                                | "--list-rules"
                                | "list"
                                | "status"
                                | "--list-all"
                                | "--state"
                                | "show"
                                | "-nvL"
                                | "-nL"
                                | "-vnL"
                                | "-sr"
                        )
                    )
                });
            if !shows {
                report.add(Effect::System(SystemChange::Firewall));
            }
        },
        &[
            ex("iptables -F", &["system:firewall"]),
            ex("iptables -L -n", &[]),
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

"""Which module describes which program, and how to find a program's row. A family is imported when one of its programs is met."""

from __future__ import annotations

from interlock.effects.rows import Row
from interlock.model.effect import KINDS, Kind
from interlock.shell.pattern import matches
from interlock.shell.value import UNREAD, Flow, Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from interlock.data.programs import Program
    from interlock.effects.run import Run

    Sections = tuple[tuple[str, tuple[str, ...]], ...]

FAMILIES: dict[str, str] = {
    "files": (
        "rm rmdir unlink shred srm wipe mv cp ln link install mkdir mkfifo "
        "mknod touch chmod chown chgrp truncate dd tee mktemp split csplit rename rimraf del-cli trash trash-put "
        "gio sponge pv ddrescue"
    ),
    "text": (
        "cat wc diff cmp comm join fmt column nl hexdump strings ls dir stat file tree "
        "more bat batcat jless delta difft glow mdcat hexyl tokei b3sum xxhsum ccat lolcat colordiff icdiff wdiff eza exa lsd dust jq yq test [ "
        "true false : date cal pwd basename dirname realpath readlink which type whereis whoami id groups uname lsb_release uptime df du free "
        "printenv cksum expr bc sleep wait read cd pushd popd dirs shift "
        "alias unalias "
        "return exit break continue let getopts fg bg disown umask ulimit hash help yes tput clear iconv dos2unix unix2dos envsubst locale "
        "nproc lscpu lsblk look "
        "ps top htop pgrep pstree w who last tty stty numfmt xmllint shuf tsort sum mapfile readarray"
    ),
    "printing": "echo printf",
    "zsh": "ztcp zmodload zf_rm zf_rmdir zf_mv zf_ln zf_mkdir zf_chmod zf_chown zf_chgrp",
    "filters": "head tail cut sort uniq rev tac paste fold od seq md5sum sha1sum sha224sum sha256sum sha384sum sha512sum",
    "agents": (
        "interlock claude codex gemini qwen copilot opencode pi aider cursor-agent amp cline goose droid auggie crush kiro-cli q openhands "
        "plandex forge swe-agent mini open-interpreter interpreter kubectl-ai sgpt aichat gptme shell-gpt claude-code gemini-cli qwen-code opencode-ai pi-coding-agent"
    ),
    "search": "find fd fdfind",
    "grep": "grep egrep fgrep zgrep ugrep ug rg ag ack pt",
    "sed": "sed gsed",
    "awk": "awk gawk mawk nawk",
    "streams": "tr xxd base64 base32 patch apply_patch applypatch ed ex",
    "git": "git",
    "netweb": (
        "curl wget wget2 http https xh xhs aria2c axel fetch yt-dlp youtube-dl lynx w3m links elinks html2text lwp-request GET ab wrk hey siege "
        "oha bombardier autocannon h2load websocat wscat grpcurl mosquitto_pub mosquitto_sub"
    ),
    "netshell": (
        "ssh plink dbclient autossh slogin rsh rlogin rexec mosh scp rcp sftp rsync ssh-keygen ssh-copy-id ssh-add ssh-keyscan ssh-agent sshpass sshfs "
        "sshuttle et tsh"
    ),
    "network": (
        "nmap zenmap masscan zmap rustscan unicornscan hydra medusa ncrack patator crowbar john hashcat sqlmap nikto whatweb wafw00f aircrack-ng "
        "airodump-ng aireplay-ng airmon-ng airbase-ng wifite kismet reaver bully pixiewps msfconsole msfvenom msfdb metasploit gobuster dirb "
        "dirbuster dirsearch ffuf wfuzz feroxbuster responder ettercap bettercap tcpdump tshark wireshark dumpcap crackmapexec netexec nxc "
        "enum4linux enum4linux-ng mimikatz wpscan joomscan searchsploit setoolkit beef-xss bloodhound bloodhound-python sharphound rubeus linpeas "
        "linpeas.sh winpeas linenum.sh lse.sh pspy pspy64 chisel ligolo ligolo-ng macchanger arpspoof dnsspoof dsniff sslstrip hping3 hping nping "
        "amass subfinder theharvester recon-ng maltego nuclei commix xsser arachni skipfish zaproxy burpsuite evil-winrm kerbrute smbmap "
        "smbexec.py psexec.py wmiexec.py secretsdump.py getuserspns.py impacket-psexec impacket-smbexec impacket-wmiexec impacket-secretsdump "
        "impacket-getuserspns impacket-getnpusers impacket-ntlmrelayx ntlmrelayx.py responder.py mitm6 mitmproxy mitmdump yersinia scapy cewl "
        "crunch cupp rainbowcrack rcrack ophcrack fcrackzip pdfcrack hashid hash-identifier sliver merlin pupy weevely slowloris goldeneye "
        "thc-ssl-dos t50 mdk3 mdk4 cowpatty asleap shellter exploitdb unshadow samdump2 chntpw lazagne pypykatz dnschef dnsrecon dnsenum fierce "
        "onesixtyone snmp-check ike-scan sslscan xprobe2 p0f netdiscover arp-scan nbtscan wpa_crack hcxdumptool hcxpcapngtool xmrig minerd "
        "cpuminer cgminer bfgminer ethminer t-rex nbminer proxychains proxychains4 torsocks torify tsocks nc ncat netcat nc.traditional "
        "nc.openbsd ping ping6 dig nslookup host whois traceroute traceroute6 tracepath mtr drill kdig delv resolvectl systemd-resolve fping "
        "arping mail mailx s-nail mutt neomutt sendmail msmtp ssmtp swaks sendemail exim exim4 ngrok cloudflared lt localtunnel bore frpc frps "
        "gotty ttyd tmate localxpose zrok inlets pagekite telebit sish devtunnel vscode-tunnel rclone s3cmd s4cmd s5cmd socat filan procan telnet ftp lftp ncftp tftp "
        "ncftpput ncftpget openssl libressl azcopy wput"
    ),
    "packages": (
        "npm cnpm yarn yarnpkg pnpm bun npx pnpx bunx yarnx uvx ni lerna np semantic-release release-it goreleaser changeset vsce ovsx jsr "
        "wasm-pack bumpversion bump2version pip pip2 pip3 uv rye poetry pdm pipenv conda mamba micromamba pipx easy_install twine flit hatch pixi "
        "virtualenv cargo rustup go gem bundle bundler composer dotnet nuget mvn mvnw gradle gradlew sbt mix cabal stack cpan cpanm luarocks opam "
        "asdf nvm fnm volta pyenv rbenv nodenv goenv sdk mise rtx n rvm ghcup corepack flutter dart pod swift"
    ),
    "syspackages": (
        "debconf-set-selections nix-collect-garbage "
        "apt apt-get aptitude nala apt-cache apt-mark apt-file dpkg-query dpkg-deb apt-key add-apt-repository dpkg dpkg-reconfigure gdebi yum dnf "
        "microdnf tdnf zypper rpm apk pacman yay paru snap flatpak brew port winget choco scoop pkg pkg_add pkgin xbps-install xbps-remove emerge "
        "eopkg swupd nix nix-env nix-shell guix tlmgr mas opkg makepkg arduino-cli krew"
    ),
    "archives": (
        "genisoimage mkisofs mksquashfs unsquashfs "
        "tar gtar bsdtar star zip unzip zipinfo funzip 7z 7za 7zr 7zz p7zip rar unrar ditto cpio pax ar jar unar gzip gunzip zcat gzcat bzip2 "
        "bunzip2 bzcat xz unxz xzcat lzma unlzma lzcat zstd unzstd zstdcat lz4 unlz4 lz4cat compress uncompress pigz unpigz pbzip2 brotli lzop "
        "lzip"
    ),
    "build": (
        "make gmake bmake nmake remake mingw32-make just task invoke inv ant grunt gulp doit scons waf buck buck2 nx turbo wireit moon "
        "earthly dagger phing thor pants please mage dune cmake ninja samu autoreconf autoconf automake aclocal libtool pkg-config ctest "
        "cpack meson bazel bazelisk kotlinc scalac ocamlopt ocamlc ocamlfind fpc dart2js protoc buf thrift flatc bison yacc flex lex swig "
        "cython esbuild rollup webpack parcel vite next sass less-compiler lessc stylus babel tsc swc tsup pandoc asciidoctor wkhtmltopdf "
        "latexmk pdflatex xelatex lualatex tex latex luatex xetex dot plantuml mmdc convert magick ffmpeg zig nim crystal v runghc runhaskell "
        "ocaml racket strip objcopy ranlib install_name_tool patchelf chrpath upx codesign nm objdump readelf size ldd otool addr2line "
        "c++filt gcov gprof dwarfdump lipo eslint prettier biome stylelint ruff markdownlint rubocop standardrb standard xo oxlint tslint "
        "golangci-lint ktlint swiftlint sqlfluff djlint htmlhint dprint black isort rustfmt ocamlformat ormolu autoflake pyupgrade "
        "docformatter nixfmt stylua buildifier gofmt goimports gofumpt clang-format shfmt autopep8 yapf clang-tidy perltidy xmlformat flake8 "
        "pylint mypy pyright pyflakes pycodestyle pydocstyle bandit vulture shellcheck hadolint yamllint jsonlint cppcheck staticcheck "
        "codespell cspell vale actionlint phpstan psalm sorbet tflint semgrep pytest py.test nose2 nosetests tox nox jest vitest mocha ava "
        "tap karma cypress playwright rspec cucumber phpunit pest minitest bats testem jasmine behave robot green trial ward unittest "
        "coverage pre-commit husky lint-staged commitlint cookiecutter hyperfine valgrind heaptrack ddtrace-run opentelemetry-instrument "
        "py-spy perf rr samply austin scalene memray eatmydata ccache sccache distcc bear scan-build mkdocs hugo jekyll docusaurus gatsby "
        "mdbook sphinx-build eleventy hexo vitepress xdg-open open code code-insiders cursor subl atom gedit kate idea pycharm webstorm zed"
    ),
    "compilers": (
        "gcc g++ cc c++ clang clang++ cpp ld ld.lld lld mold gold as nasm yasm gfortran gnat icc icpc nvcc tcc c99 c89 emcc em++ musl-gcc "
        "x86_64-w64-mingw32-gcc flang dmd ldc2 gdc swiftc rustc javac ghc"
    ),
    "editors": (
        "vi vim nvim view gvim vimdiff rvim rview gview lvim vim.tiny vim.basic evim emacs emacsclient xemacs zile mg nano pico micro helix hx "
        "joe jed kak ne vis mcedit man apropos whatis info tldr less most zless zmore tmux byobu psmux screen dtach abduco zellij xterm "
        "gnome-terminal konsole xfce4-terminal alacritty kitty urxvt st terminator tilix wezterm foot x-terminal-emulator lxterminal gdb lldb "
        "rust-gdb rust-lldb cgdb gdbserver dlv"
    ),
    "cloud": (
        "aws gcloud gsutil az doctl oci ibmcloud heroku flyctl fly vercel now netlify ntl railway render supabase firebase wrangler "
        "terraform tofu terragrunt pulumi cdk sam serverless sls packer vault consul nomad stripe sentry-cli eb linode-cli hcloud scw exo "
        "civo vultr-cli upctl openstack cf bx ecs-cli eksctl copilot-cli amplify ask planetscale pscale neonctl turso fastly akamai "
        "cloudflare awslocal tflocal cdklocal samlocal pulumilocal dnscontrol octodns boundary waypoint crossplane argocd flux rancher ansible-galaxy databricks twilio "
        "slack circleci travis buildkite-agent gh glab hub ansible ansible-playbook ansible-vault ansible-pull "
        "ansible-console ansible-doc ansible-inventory ansible-lint ansible-config fastlane eas huggingface-cli hf kaggle cap gh-pages surge"
    ),
    "containers": (
        "docker podman nerdctl buildah finch docker-compose podman-compose crictl ctr kind minikube k3d vagrant virsh multipass lxc lxd incus "
        "machinectl systemd-nspawn qm pct VBoxManage limactl colima skopeo"
    ),
    "clusters": "kubectl k oc helm k9s kustomize k3s kubeadm kubens kubectx stern skaffold tilt helmfile istioctl velero",
    "simulators": "xcrun simctl altool",
    "screens": (
        "xfreerdp xfreerdp3 wlfreerdp sdl-freerdp sdl-freerdp3 freerdp rdesktop vncviewer xtightvncviewer xtigervncviewer "
        "xvncviewer tigervnc-viewer ssvncviewer remmina krdc vinagre gvncviewer gnome-connections virt-viewer remote-viewer spicy x2goclient "
        "nxplayer nxclient"
    ),
    "databases": (
        "psql pgcli cockroach ysqlsh mysql mariadb mycli tidb sqlcmd clickhouse-client clickhouse cqlsh isql osql snowflake trino presto "
        "beeline hive impala-shell influx sqlite3 sqlite duckdb litecli mongo mongosh redis-cli valkey-cli keydb-cli dropdb dropuser createdb "
        "createuser pg_dump pg_dumpall mysqldump mariadb-dump mongodump mongoexport pg_restore mongorestore mongoimport mysqlimport "
        "pg_resetwal memcflush initdb pg_ctl mysqladmin mariadb-admin mysqlsh mssql-cli usql snowsql snow bq clickhouse-local pg_dropcluster "
        "vacuumdb reindexdb clusterdb pg_basebackup pg_isready spark-sql"
    ),
    "migrations": (
        "prisma alembic flask flyway liquibase sequelize typeorm knex rails rake artisan dbmate manage.py drizzle-kit sqlx diesel atlas dbt "
        "hasura phinx migrate sequelize-cli"
    ),
    "wrappers": (
        "env timeout nice ionice nohup setsid rlwrap unbuffer fakeroot catchsegv dbus-run-session firejail tini dumb-init with-contenv winpty "
        "chronic systemd-cat trickle schedtool ifne pipexec gamemoderun mangohud optirun primusrun prime-run wait-for-it dockerize catatonit tsp "
        "detach setarch linux32 linux64 i386 x86_64 uname26 caffeinate time stdbuf taskset chrt xvfb-run nodemon tsx-watch proot command builtin "
        "exec xargs watch strace ltrace script flock busybox toybox bwrap faketime arch systemd-run concurrently entr numactl prlimit "
        "choom cpulimit runcon chpst softlimit envdir setlock aa-exec systemd-inhibit cgexec daemonize daemon retry dotenv watchexec sem openvt "
        "start-stop-daemon fzf sk ld.so ld-linux.so.2 ld-linux-x86-64.so.2 ld-linux-aarch64.so.1 ld-musl-x86_64.so.1 ld-linux-armhf.so.3 direnv"
    ),
    "interpreters": (
        "bash sh zsh dash ksh ash fish rbash mksh eval source . trap bind complete compgen enable python python2 python3 pypy pypy3 ipython node nodejs deno ts-node tsx "
        "perl ruby php lua luajit Rscript R osascript "
        "tclsh wish expect guile scheme sbcl clisp clojure clj bb ghci julia groovy scala kotlin jshell java irb erl elixir iex csh tcsh yash posh elvish xonsh nu"
    ),
    "parallel": "parallel",
    "scripting": "m4 dc gnuplot octave octave-cli matlab jjs jrunscript slsh qjs dotnet-script csi rust-script",
    "disks": (
        "mkfs mke2fs mkswap mkdosfs mkntfs mkexfatfs mkudffs newfs newfs_apfs newfs_hfs newfs_msdos newfs_exfat mkfs.ext2 mkfs.ext3 mkfs.ext4 "
        "mkfs.xfs mkfs.btrfs mkfs.vfat mkfs.fat mkfs.msdos mkfs.exfat mkfs.ntfs mkfs.f2fs mkfs.jfs mkfs.reiserfs mkfs.minix mkfs.bfs mkfs.cramfs "
        "mkfs.nilfs2 mkfs.udf mkfs.ocfs2 mkfs.gfs2 mkfs.zfs mkfs.erofs mkfs.bcachefs mkfs.ubifs blkdiscard fsck e2fsck fsck.ext2 fsck.ext3 "
        "fsck.ext4 fsck.vfat fsck.fat fsck.xfs fsck.btrfs fsck.exfat fsck.f2fs fsck_hfs fsck_apfs dosfsck xfs_repair ntfsfix reiserfsck lvs vgs "
        "pvs lvdisplay vgdisplay pvdisplay lvscan vgscan pvscan lvmdiskscan pvck vgck lvmconfig lvremove vgremove pvremove lvreduce vgreduce "
        "lvresize pvresize pvmove lvcreate lvextend lvchange lvconvert lvrename vgcreate vgextend vgchange vgrename vgimport vgexport vgsplit "
        "vgmerge vgcfgrestore vgcfgbackup pvchange findmnt blkid dumpe2fs xfs_info sync mountpoint lsusb lspci swaplabel pvcreate fdisk sfdisk "
        "gdisk cfdisk cgdisk gparted growpart sgdisk parted partprobe partx kpartx wipefs badblocks hdparm nvme sg_format sg_sanitize smartctl "
        "cryptsetup mdadm zpool zfs btrfs diskutil hdiutil udisksctl dmsetup swapon swapoff fstrim eject losetup mount umount fusermount "
        "fusermount3 tune2fs resize2fs e2label xfs_growfs xfs_admin debugfs fallocate diskpart format format.com"
    ),
    "services": (
        "systemctl service rc-service rc-update update-rc.d invoke-rc.d chkconfig sv launchctl sc sc.exe initctl supervisorctl monit loginctl "
        "journalctl logrotate shutdown reboot halt poweroff pm-suspend pm-hibernate kexec pmset rtcwake systemsetup init telinit crontab at batch "
        "atq atrm anacron hostnamectl hostname scutil timedatectl hwclock ntpdate sntp chronyc sysctl modprobe insmod rmmod lsmod modinfo kmod "
        "depmod dkms kextload kextunload update-grub update-grub2 grub-install grub2-install grub-mkconfig grub2-mkconfig grub-set-default "
        "grub-reboot grubby bless efibootmgr update-initramfs mkinitcpio dracut bootctl bcdedit nvram setenforce getenforce sestatus setsebool "
        "semodule semanage auditctl aa-status aa-enabled apparmor_status aa-unconfined apparmor_parser spctl csrutil fdesetup tccutil chcon "
        "restorecon update-alternatives alternatives ldconfig defaults gsettings dconf localectl xdg-mime xdg-settings aa-disable aa-teardown "
        "aa-complain aa-remove-unknown aa-enforce aa-audit aa-genprof aa-logprof scancel qdel bkill condor_rm"
    ),
    "netconfig": (
        "conntrack ifenslave ipfw ipvsadm mii-tool ovs-vsctl vconfig "
        "iptables ip6tables iptables-nft iptables-legacy ebtables arptables iptables-restore ip6tables-restore iptables-save ip6tables-save ipset "
        "nft ufw firewall-cmd pfctl socketfilterfw netsh ip ifconfig iwconfig ifup ifdown route arp nmcli networksetup wg-quick wg ethtool iw "
        "brctl bridge tc rfkill dhclient dhcpcd netplan wpa_supplicant wpa_cli tailscale openvpn ss netstat nordvpn expressvpn "
        "expressvpnctl mullvad protonvpn-cli protonvpn piactl surfshark-vpn warp-cli windscribe openconnect openfortivpn vpnc snx globalprotect ipsec "
        "swanctl zerotier-cli"
    ),
    "processes": (
        "kill skill snice pkill killall killall5 xkill slay fuser taskkill taskkill.exe tskill kill-port lsof fkill renice pidof pwait jobs pmap"
    ),
    "accounts": (
        "usermod userdel groupadd groupdel groupmod adduser deluser addgroup delgroup newusers groupmems chfn pwconv pwunconv grpconv dseditgroup "
        "usermgmt pw useradd chsh passwd chpasswd yppasswd smbpasswd chgpasswd chage gpasswd faillock pwck grpck visudo vipw vigr sudoedit dscl "
        "sysadminctl getent pam-auth-update authconfig authselect samba-tool pdbedit ipa realm adcli kadmin kadmin.local ldapadd ldapmodify "
        "ldapdelete ldapmodrdn ldappasswd htpasswd htdigest lchage luseradd luserdel lusermod lpasswd homectl userdbctl ssh-import-id "
        "ssh-import-id-gh google-authenticator fprintd-enroll setquota edquota quota"
    ),
    "stores": (
        "git-credential git-credential-store git-credential-cache git-credential-osxkeychain git-credential-manager git-credential-libsecret gpg "
        "gpg2 gpgv gpg-agent gpgconf gpg-connect-agent pass gopass security secret-tool kwallet-query keyring keyctl op bw lpass sops age rage "
        "keepassxc-cli kpcli gnome-keyring-daemon git-crypt git-secret blackbox_cat blackbox_decrypt_all_files transcrypt eyaml chamber doppler "
        "infisical aws-vault saml2aws aws-sso granted teller berglas envchain akeyless conjur summon bws step tpm2_unseal ec2-metadata cloud-init "
        "mysql_config_editor my_print_defaults klist dumpkeys chainbreaker docker-credential-desktop docker-credential-osxkeychain "
        "docker-credential-pass docker-credential-secretservice docker-credential-ecr-login docker-credential-gcr docker-credential-gcloud "
        "docker-credential-wincred kubeseal"
    ),
    "capture": (
        "scrot import screencapture gnome-screenshot grim maim flameshot spectacle xwd fswebcam imagesnap arecord parecord pw-record wf-recorder "
        "simplescreenrecorder kazam recordmydesktop ksnapshot shutter logkeys evtest xspy keylogger evemu-record libinput-record xclip xsel "
        "pbpaste wl-paste pbcopy wl-copy xdotool ydotool showkey wtype cliclick dotool xte xinput google-chrome google-chrome-stable chrome "
        "chromium chromium-browser brave brave-browser microsoft-edge msedge vivaldi opera firefox firefox-esr librewolf waterfox"
    ),
    "permissions": ("chattr setfacl setcap getcap lsattr getfacl getfattr setfattr chflags xattr SetFile GetFileInfo"),
    "machine": (
        "flashrom fwupdmgr fwupdtool fwupdate mokutil sbctl efivar grub-editenv grub2-editenv grub-mkrescue lilo extlinux kernel-install "
        "kernelstub ipmitool nvram-wakeup wakeonlan etherwake wrmsr rdmsr setpci bpftool bpftrace stap kmutil livepatch kpatch softwareupdate "
        "installer startosinstall locate plocate mlocate slocate flash-kernel scrub nwipe dcfldd dc3dd multipath fsfreeze thin_repair ndctl "
        "drbdadm tgtadm iscsiadm tmutil snapper timeshift esxcli vim-cmd jamf amazon-ssm-agent busctl dbus-send gdbus qdbus crudini augtool ipcrm "
        "ipcs wall stress stress-ng cpuburn burnP6"
    ),
    "daemons": (
        "nginx openresty apachectl apache2ctl httpd apache2 a2ensite a2dissite a2enmod a2dismod caddy pm2 forever passenger-config cupsdisable "
        "cupsreject cancel lprm lpadmin cupsctl postsuper postqueue qmHandle postfix postconf doveadm newaliases svcadm svccfg s6-svc s6-rc "
        "dinitctl runsv xinetd inetd rsyslogd syslog-ng incrontab fcrontab sshd dropbear telnetd in.telnetd rlogind rshd vsftpd proftpd pure-ftpd "
        "smbd tftpd in.tftpd x11vnc vncserver Xvnc tigervncserver krfb xrdp wayvnc wetty webssh sshesame teleport guacd shellinaboxd xhost xauth "
        "jupyter jupyter-lab jupyter-notebook code-server openvscode-server exportfs rabbitmqctl rabbitmqadmin kafka-topics kafka-topics.sh "
        "kafka-consumer-groups kafka-consumer-groups.sh kafka-delete-records kafka-delete-records.sh kafka-configs kafka-configs.sh etcdctl "
        "zkCli.sh hdfs hadoop ceph rados rbd gluster pcs crm"
    ),
    "remoting": (
        "fab sshx teleconsole gsocket gs-netcat gs-sftp gs-mount dnscat dnscat2 dnscat2-client iodine iodined ptunnel ptunnel-ng icmpsh udp2raw "
        "sish-client rathole wstunnel stunnel stunnel4 bore-cli pinggy serveo rustdesk anydesk teamviewer upterm warp2 reverse-ssh tunnelto "
        "webhookrelay revsocks pwncat pwncat-cs rcat rustcat cryptcat dbd sbd powercat hoaxshell sliver-client sliver-server poshc2 koadic pupysh "
        "armitage cobaltstrike mimipenguin laZagne.py laZagne LinEnum.sh linux-exploit-suggester.sh pspy32 ssh2john ssh2john.py zip2john pdf2john "
        "keepass2john office2john bulk_extractor truecrack rtgen rcracki brutespray GetUserSPNs.py GetNPUsers.py rpcclient ldapdomaindump "
        "theHarvester ngrep tcpflow tcpkill driftnet urlsnarf mailsnarf thc-ipv6 slowhttptest hulk.py loic torshammer xmr-stak lolMiner "
        "phoenixminer scanmem steghide outguess stegsnow wifiphisher gcore reptyr criu hexinject dumpit avml fridump dhcpig pssh parallel-ssh "
        "pdsh clush dsh mussh cssh knife salt salt-call salt-run salt-key puppet chef-client chef-solo chef-apply check_by_ssh adb fastboot "
        "ntfy wormhole magic-wormhole croc ffsend pastebinit wgetpaste gist fpaste hastebin sprunge termbin ipfs mega-put megaput gdrive "
        "dropbox-uploader dropbox_uploader.sh onionshare-cli onionshare bashupload qrcp syncthing filebrowser updog smbclient mount.cifs "
        "lwp-download"
    ),
    "privilege": (
        "sudo doas pkexec run0 dzdo pfexec gksu gksudo kdesu kdesudo beesu pbrun sux calife flatpak-spawn polkit-agent-helper-1 su sg newgrp "
        "runuser gosu su-exec setuidgid s6-setuidgid chroot unshare nsenter setpriv capsh"
    ),
    "backups": ("borg restic kopia duplicity rdiff-backup rsnapshot bconsole"),
    "trusting": (
        "update-ca-certificates update-ca-trust c_rehash trust mkcert fapolicyd-cli aide tripwire usbguard firewalld falconctl mdatp osqueryctl "
        "wazuh-control fail2ban-client auditd augenrules eslogger santactl plutil PlistBuddy profiles"
    ),
    "traces": (
        "history fc export declare typeset readonly local unset set shopt dmesg log wevtutil utmpdump lastlog lastb faillog ausearch aureport "
        "bleachbit"
    ),
    "storage": (
        "storcli storcli64 perccli perccli64 megacli MegaCli MegaCli64 hpssacli ssacli hpacucli arcconf tw_cli sas2ircu sas3ircu mvcli "
        "dsmadmc symconfigure symcli naviseccli uemcli nsradmin omnidb dscli mcli purecli 3par isi_cli purevol purehgroup purepgroup "
        "purehost symaccess symdev symsg mmdelfs mmdeldisk mmdelsnapshot mmdelnode mmdelfileset mmshutdown mmumount mmdelnsd lctl lfs "
        "beegfs-ctl nsrmm bpexpdate bpimage nsrim dsmc bareos-dbcheck tarsnap wal-g barman rmfs rmlv rmlvcopy reducevg exportvg rmvg "
        "rmpaging chfs chlv chvg extendvg mklv crfs chuser mkuser rmuser chgroup rmgroup mkgroup chrole rmrole pwdadm rmdev chdev cfgmgr "
        "mkdev swremove swinstall pkgrm pkgadd installp geninstall stopsrc startsrc dladm ipadm flowadm gpart glabel geli bioctl "
        "disklabel snmpset vncpasswd dsdel dsadd dsmod dsmove dsrm "
        "csvde ldifde endmqm strmqm dltmqm zmprov oras pg_ctlcluster "
        "pg_rewind myloader xtrabackup mariabackup innobackupex pt-table-sync pt-archiver pt-online-schema-change gh-ost pt-kill"
    ),
    "scaffolding": "degit tiged gitpick git-pick giget gitget copier",
    "serving": ("http-server live-server miniserve dufs darkhttpd webfsd serve"),
    "versions": ("hg chg sl jj svn svnadmin cvs fossil p4 dvc yadm stow"),
    "flashing": (
        "avrdude openocd JLinkExe JLink jlink dfu-util dfu-programmer bossac stm32flash st-flash st-info pyocd nrfjprog nrfutil picotool "
        "teensy_loader_cli lm4flash mspdebug rkdeveloptool heimdall edl edl.py mtk sunxi-fel uuu wchisp xfel probe-rs cargo-flash espflash "
        "espefuse espefuse.py afuc odin4 flashcp flash_erase flash_eraseall flash_unlock nandwrite ubiformat ubiupdatevol mtd_debug "
        "fw_setenv fw_printenv racadm ilorest sysupgrade firstboot jffs2reset mtd fwup"
    ),
    "windows": (
        "reg reg.exe regedit setx schtasks schtasks.exe net net.exe net1 pwsh powershell cmd wsl certutil bitsadmin mshta rundll32 regsvr32 wscript cscript msiexec icacls "
        "cacls xcacls takeown cmdkey vaultcmd procdump procdump64 ntdsutil esentutl runas psexec psexec64 wmic pcalua conhost vssadmin diskshadow "
        "wbadmin fsutil cipher powercfg auditpol secedit gpupdate winrs mstsc winrm sdelete sdelete64 sdbinst odbcconf installutil"
    ),
}
"""Module of this package -> names of the programs it describes."""

LANGUAGES: dict[str, str] = {
    "sh": "sh", "bash": "sh", "zsh": "sh", "dash": "sh", "ksh": "sh", "ash": "sh", "rbash": "sh", "mksh": "sh",
    "python": "python", "python2": "python", "python3": "python", "pypy": "python", "pypy3": "python",
    "node": "javascript", "nodejs": "javascript", "deno": "javascript", "bun": "javascript", "perl": "perl", "ruby": "ruby", "php": "php",
}  # fmt: skip

_GNU = frozenset({"files", "text", "printing", "filters", "wrappers"})
"""Families of GNU's core utilities."""
_modules: dict[str, str] = {}
_rows: dict[str, Row | None] = {}
_kinds: dict[str, Kind] = {str(kind): kind for kind in KINDS}


def kind(name: str) -> Kind:
    """Return the kind of effect called ``name``; raises ``KeyError`` for any other word."""
    return _kinds[name]


def names() -> dict[str, str]:
    """Return every known program and the module that describes it."""
    if not _modules:
        for module, programs in FAMILIES.items():
            for name in programs.split():
                _modules[name] = module
    return _modules


def find(name: str) -> Row | None:
    """Return the row of a program, or None where nobody described it. ``python3.11`` is found as ``python3``."""
    if name in _rows:
        return _rows[name]
    module, key = names().get(canonical(name)), canonical(name)
    # __import__ with a fromlist returns the module itself; importlib would cost the hook an import
    row = __import__(f"interlock.effects.programs.{module}", None, None, ["ROWS"]).ROWS[key] if module is not None else _described(name)
    _rows[name] = row
    return row


def _described(name: str) -> Row | None:
    """Return the row that a section of ``data/programs.txt`` makes."""
    from interlock.data import programs  # most names have a row

    one = programs.find(name)
    return row_of(one) if one is not None else None


_own: dict[Sections, dict[str, Row]] = {}
"""The rows of each policy's own programs."""


def described(sections: Sections) -> dict[str, Row]:
    """Return the rows of a policy's own programs."""
    if sections not in _own:
        from interlock.data.programs import parse

        text = "\n".join([f"[{name}]\n" + "\n".join(lines) for name, lines in sections])
        _own.clear()
        _own[sections] = {name: row_of(one) for name, one in parse(text).items()}
    return _own[sections]


def row_of(one: Program) -> Row:
    """Return the row of a program that a section describes."""
    clustered = not any(len(option.partition(":")[0]) > len("-x") and option[1] != "-" for option in (*one.options, *one.flags))
    effects = "executes:package-script" if one.project else ""
    return Row(operands=one.operands, options=" ".join(one.options), flags=" ".join(one.flags), effects=effects, clustered=clustered)


def is_described(name: str) -> bool:
    """Whether a program is known by a section alone: whatever its words say counts besides."""
    return names().get(canonical(name)) is None and find(name) is not None


def canonical(name: str) -> str:
    """Return the name by which a program is described: ``python3`` for ``python3.11``, ``rm`` for ``grm``."""
    known = names()
    if name in known:
        return name
    plain = _versionless(name)
    if plain not in known and name[:1] == "g" and known.get(name[1:]) in _GNU and len(name) > len("gw"):
        return name[1:]  # GNU's tools where others have the plain names: grm, gshred, gdd
    return plain


_ELSEWHERE = frozenset({"cloud", "clusters", "databases", "migrations", "stores", "remoting", "screens", "netshell"})
"""Families of programs whose work is done by another machine, whatever their words say."""
_LOCAL = frozenset("sqlite3 sqlite duckdb litecli ssh-keygen gpgv ansible-lint ansible-doc ansible-config rails rake artisan manage.py flask".split())
_WORDS_HERE = {
    "terraform": "fmt validate version", "tofu": "fmt validate version", "kubectl": "kustomize completion options plugin",
    "helm": "lint template version create completion env", "kustomize": "build version", "packer": "fmt validate version", "pulumi": "version about",
    "gh": "version completion help", "aws": "help", "gcloud": "version info help", "minikube": "version", "kind": "version",
}  # fmt: skip
"""Subcommands of them that only work on files of this machine."""


def works_elsewhere(name: str, word: str = "") -> bool:
    """Whether what a program does is done by another machine. ``word``: its first word."""
    return names().get(name) in _ELSEWHERE and name not in _LOCAL and word not in _WORDS_HERE.get(name, "").split()


def _versionless(name: str) -> str:
    name = name.removesuffix(".exe")
    stem = name.rstrip("0123456789.")
    stem = stem.removesuffix("-")
    if stem in ("python", "pypy", "pip") and name[len(stem) :][:1] in ("2", "3"):
        return stem + name[len(stem)]
    return stem if len(stem) > 1 else name  # k6 is not k


def matching(pattern: str) -> list[str]:
    """Return the known programs whose name the pattern fits, those that destroy most first."""
    return [name for name in names() if matches(pattern, name)]


SETUPS: dict[str, tuple[str, ...]] = {
    "direnv": ("hook", "export"), "pyenv": ("init", "virtualenv-init"), "rbenv": ("init",), "nodenv": ("init",), "goenv": ("init",), "brew": ("shellenv",),
    "starship": ("init",), "zoxide": ("init",), "fnm": ("env",), "mise": ("activate", "hook-env", "env"), "atuin": ("init",), "opam": ("env",),
    "conda": ("shell.bash", "shell.zsh", "shell.posix"), "dircolors": ("", "-b"), "fzf": ("--bash", "--zsh"), "kubectl": ("completion",),
    "gh": ("completion",), "helm": ("completion",), "docker": ("completion",), "rustup": ("completions",), "npm": ("completion",), "pip": ("completion",),
    "minikube": ("docker-env",), "keychain": ("--eval",), "thefuck": ("--alias",), "luarocks": ("path",), "ssh-agent": ("", "-s"),
}  # fmt: skip
"""Programs that print settings of their own for the shell to take over (``eval "$(direnv hook bash)"``), and their first word for that."""


def sets_up(name: str, words: list[Value]) -> bool:
    """Whether a program prints settings for the shell, which are no more code than the program itself."""
    return (words[0].text if words else "") in SETUPS.get(name, ())


def language(name: str) -> str:
    """Return the language an interpreter speaks, or ``""``."""
    return LANGUAGES.get(name) or LANGUAGES.get(_versionless(name), "")


def foreign_code(run: Run, text: str, value: Value | None, name: str) -> Flow:
    """Read code that is no shell of Unix: Python and Windows' shells are followed, other languages are searched for calls that matter."""
    module = name if name in ("python", "powershell", "cmd") else f"programs.{name}" if name in ("sed", "awk") else "foreign"
    reader = __import__(f"interlock.effects.{module}", None, None, ["read_code"])
    return reader.read_code(run, text, value, name) or UNREAD

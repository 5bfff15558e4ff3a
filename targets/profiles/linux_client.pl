# The upper tester of the profiles linux-client*: does what each line of its standard input says with
# a mounted file system, and answers by a line (targets/upper_tester/acts.py).
#
#   perl linux_client.pl MOUNT-POINT SOURCE
#
# The mount point is there while the mount is, so that nothing is done without the server.  perl,
# since every Debian has one (perl-base, hence no modules), and since it forks without loading
# anything.  The numbers are those of Linux on x86-64.
use strict;
use warnings;

use constant {
    O_WRONLY => 1, O_DIRECT => 040000,
    SYS_mount => 165, SYS_umount2 => 166, SYS_setxattr => 188, SYS_fadvise64 => 221,
    POSIX_FADV_DONTNEED => 4,
    PAGE => 4096,
};

our ($mounted, $source) = @ARGV;

my %acts = (
    # One GETATTR.
    'small' => sub { stat($mounted) or die "stat: $!\n" },

    # As many GETATTRs at once, each by a process of its own.
    'many' => sub {
        my ($count) = @_;
        my @children = map { child(sub { stat($mounted) or die "stat: $!\n" }) } 1 .. $count;
        await(@children);
    },

    # LOOKUP, ACCESS (or OPEN), and READ.
    'read' => sub {
        my ($length, $output) = words(2, @_);
        save($output, fetch($length));
    },

    # The same, as often at once, each by a process of its own.
    'many-reads' => sub {
        my ($length, $count, $output) = words(3, @_);
        my (@children, @pipes);
        for (1 .. $count) {
            pipe(my $from, my $to) or die "pipe: $!\n";
            push @children, child(sub {
                my $data = fetch($length);
                length $data == $length or die "read: " . length($data) . " octets\n";
                syswrite($to, $data) == $length or die "pipe: $!\n";
            });
            push @pipes, $from;
        }
        local $/;
        my $data = join '', map { readline($_) // '' } @pipes;
        await(@children);
        save($output, $data);
    },

    # LOOKUP, ACCESS (or OPEN), WRITE, and COMMIT where the server asks for it.
    'write' => sub {
        store(words(2, @_));
    },

    # Both with one file, in a mount of its own with that flavor of Kerberos, which stays.
    'exchange' => sub {
        my ($flavor, $length, $content, $output) = words(4, @_);
        my $main = $mounted;
        local $mounted = "$main-$flavor";
        unless (-d $mounted) {
            mkdir($mounted) or die "mkdir: $!\n";
            mount($ENV{OPTIONS} =~ s/sec=\w+/sec=$flavor/r);
        }
        store($length, $content);
        save($output, fetch($length, 'writable'));
    },

    # A Long Call: nothing in it may be reduced.
    'set-list' => sub {
        my ($kind) = @_;
        my ($name, $list) = $kind eq 'nfs4' ? nfs4_list() : posix_list();
        my $file = "$mounted/writable";
        syscall(SYS_setxattr, $file, $name, $list, length $list, 0) == 0
            or die "setxattr: $!\n";
    },

    # GETATTR, LOOKUP, ACCESS, READDIR (PLUS): 600 names with their attributes.
    'list' => sub {
        # First the client forgets what it has cached of the folder; noac does not see to that.
        sysopen(my $folder, "$mounted/many", 0) or die "open: $!\n";
        syscall(SYS_fadvise64, fileno $folder, 0, 0, POSIX_FADV_DONTNEED) == 0
            or die "fadvise: $!\n";
        close($folder);
        opendir(my $names, "$mounted/many") or die "opendir: $!\n";
        $! = 0;
        my @names = readdir($names);
        die "readdir: $!\n" if $!;
        closedir($names);
    },

    # The kernel calls NULL whenever it has connected for a mount, and never else.
    'mount-again' => sub {
        unmount();
        mount($ENV{OPTIONS});
    },

    'unmount' => sub {
        unmount();
        rmdir($mounted) or die "rmdir: $!\n";
    },
);

$| = 1;
while (defined(my $line = <STDIN>)) {
    chomp $line;
    my ($act, $rest) = split / /, $line, 2;
    my $done = eval { $acts{$act}->($rest); 1 };
    my $why = $@ =~ s/\s+/ /gr;
    print $done ? "done\n" : "failed $why\n";
}

# So many words, the last of which may be a path with blanks.
sub words {
    my ($count, $line) = @_;
    return split / /, $line, $count;
}

# A process that does something, and leaves.
sub child {
    my ($do) = @_;
    defined(my $pid = fork()) or die "fork: $!\n";
    return $pid if $pid;
    my $done = eval { $do->(); 1 };
    print STDERR $@ unless $done;
    exit($done ? 0 : 1);
}

# All of them have done what they should.
sub await {
    my @bad = grep { waitpid($_, 0) != $_ || $? != 0 } @_;
    die scalar(@bad) . " of " . scalar(@_) . " failed\n" if @bad;
}

# What the client writes past its cache.
sub store {
    my ($length, $content) = @_;
    open(my $from, '<:raw', $content) or die "open: $!\n";
    my ($buffer, $start) = pages($length);
    sysread($from, $$buffer, $length, $start) == $length or die "$content: too short\n";
    sysopen(my $file, "$mounted/writable", O_WRONLY | O_DIRECT) or die "open: $!\n";
    (syswrite($file, $$buffer, $length, $start) // -1) == $length or die "write: $!\n";
    close($file) or die "close: $!\n";
}

# What the client reads past its cache.
sub fetch {
    my ($length, $name) = (@_, 'plain');
    my ($buffer, $start) = pages($length);
    sysopen(my $file, "$mounted/$name", O_DIRECT) or die "open: $!\n";
    defined(sysread($file, $$buffer, $length, $start)) or die "read: $!\n";
    return substr($$buffer, $start);
}

# Room for so many octets that begin with a page, as programs that read past the cache have it.
sub pages {
    my ($length) = @_;
    my $buffer = "\0" x ($length + PAGE);
    vec($buffer, 0, 8) = 0;    # so that the string is no shared copy, and stays where it is
    return (\$buffer, -unpack('J', pack('p', $buffer)) & (PAGE - 1));
}

sub save {
    my ($path, $data) = @_;
    open(my $file, '>:raw', $path) or die "$path: $!\n";
    print $file $data or die "$path: $!\n";
    close($file) or die "$path: $!\n";
}

# A mount point without a mount goes, so that nothing is done there.
sub mount {
    my ($options) = @_;
    my $type = 'nfs';
    return if syscall(SYS_mount, $source, $mounted, $type, 0, $options) == 0;
    my $why = $!;
    rmdir($mounted);
    die "mount: $why\n";
}

sub unmount {
    syscall(SYS_umount2, $mounted, 0) == 0 or die "umount: $!\n";
}

# A list of 504 entries, 6048 octets as SETACL of NFSACL has it: what acl(5) and the kernel's xattr
# code describe.
sub posix_list {
    my @entries = (
        [1, 6, -1], (map { [2, 4, 1000 + $_] } 1 .. 500), [4, 4, -1], [16, 4, -1], [32, 4, -1],
    );
    my $list = join '', pack('V', 2), map { pack('vvl<', @$_) } @entries;
    return ('system.posix_acl_access', $list);
}

# A list of 200 entries, 5604 octets in SETATTR; an entry allows EVERYONE@ to read.
sub nfs4_list {
    my $list = pack('N', 200) . pack('N4a12', 0, 0, 1, 9, 'EVERYONE@') x 200;
    return ('system.nfs4_acl', $list);
}

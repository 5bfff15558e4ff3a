# The upper tester of the profiles linux-client*: does what each line of its standard input says with
# a mounted file system, and answers by a line (targets/acts.py).
#
#   perl linux_client.pl MOUNT-POINT SOURCE
#
# The mount point is there while the mount is, so that nothing is done without the server.  perl,
# since every Debian has one (perl-base, hence no modules), and since it forks without loading
# anything.  The numbers are those of Linux on x86-64.
use strict;
use warnings;

use constant {
    O_WRONLY => 1, O_RDWR => 2, O_DIRECT => 040000,
    SYS_read => 0, SYS_mmap => 9, SYS_munmap => 11, SYS_msync => 26, SYS_fsync => 74, SYS_mount => 165, SYS_umount2 => 166,
    SYS_setxattr => 188, SYS_getxattr => 191, SYS_removexattr => 197, LIST_MAXIMUM => 65536,
    SYS_fadvise64 => 221,
    PROT_READ => 1, PROT_WRITE => 2, MAP_SHARED => 1, MS_SYNC => 4, POSIX_FADV_DONTNEED => 4,
    PAGE => 4096,
    EBUSY => 16, BUSY_TENTHS => 80,
    PIECE => 10007,    # octets of a call of read(2) or write(2) that meets no boundary
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

    # The same from another octet on, into memory that begins in the middle of a page as well.
    'read-at' => sub {
        my ($offset, $length, $output) = words(3, @_);
        save($output, fetch($length, $offset));
    },

    # By way of the page cache: the kernel reads whole pages, and ahead.
    'read-cached' => sub {
        my ($offset, $length, $output) = words(3, @_);
        sysopen(my $file, "$mounted/plain", 0) or die "open: $!\n";
        forget($file);
        sysseek($file, $offset, 0);
        my $data = '';
        while (length $data < $length) {
            my $left = $length - length $data;
            my $got = sysread($file, $data, $left < PIECE ? $left : PIECE, length $data);
            defined $got or die "read: $!\n";
            $got or last;
        }
        save($output, $data);
    },

    # The same by page faults.
    'read-mapped' => sub {
        my ($offset, $length, $output) = words(3, @_);
        sysopen(my $file, "$mounted/plain", 0) or die "open: $!\n";
        forget($file);
        my $before = $offset % PAGE;
        my @mapping = (PROT_READ, MAP_SHARED, fileno $file, $offset - $before);
        my $address = syscall(SYS_mmap, 0, $before + $length, @mapping);
        $address != -1 or die "mmap: $!\n";
        my $data = unpack('P' . ($before + $length), pack('J', $address));
        syscall(SYS_munmap, $address, $before + $length) == 0 or die "munmap: $!\n";
        save($output, substr($data, $before));
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
        my ($length, $content) = words(2, @_);
        store($length, $content);
    },

    # The same from another octet on, and LOOKUP, ACCESS (or OPEN), and READ of what was written.
    'write-at' => sub {
        my ($offset, $length, $content, $output) = words(4, @_);
        store($length, $content, $offset);
        save($output, fetch($length, $offset, 'writable'));
    },

    # The same by way of the page cache: the kernel writes as it sees fit, at last by fsync(2).
    'write-cached' => sub {
        my ($offset, $length, $content, $output) = words(4, @_);
        my ($buffer, $start) = loaded($length, $content);
        sysopen(my $file, "$mounted/writable", O_WRONLY) or die "open: $!\n";
        sysseek($file, $offset, 0);
        for (my $done = 0; $done < $length;) {
            my $left = $length - $done;
            my $put = syswrite($file, $$buffer, $left < PIECE ? $left : PIECE, $start + $done);
            defined $put or die "write: $!\n";
            $done += $put;
        }
        syscall(SYS_fsync, fileno $file) == 0 or die "fsync: $!\n";
        close($file) or die "close: $!\n";
        save($output, fetch($length, $offset, 'writable'));
    },

    # The same by page faults: the kernel itself puts the octets there, by read(2).
    'write-mapped' => sub {
        my ($offset, $length, $content, $output) = words(4, @_);
        sysopen(my $from, $content, 0) or die "open: $!\n";
        -s $from >= $length or die "$content: too short\n";
        sysopen(my $file, "$mounted/writable", O_RDWR) or die "open: $!\n";
        -s $file >= $offset + $length or truncate($file, $offset + $length) or die "truncate: $!\n";
        my $before = $offset % PAGE;
        my $whole = $before + $length;
        my @mapping = (PROT_READ | PROT_WRITE, MAP_SHARED, fileno $file, $offset - $before);
        my $address = syscall(SYS_mmap, 0, $whole, @mapping);
        $address != -1 or die "mmap: $!\n";
        my $put = syscall(SYS_read, fileno $from, $address + $before, $length);
        my $why = $put == $length ? '' : "read: $put octets: $!\n";
        $why ||= "msync: $!\n" if syscall(SYS_msync, $address, $whole, MS_SYNC) != 0;
        syscall(SYS_munmap, $address, $whole) == 0 or die "munmap: $!\n";
        die $why if $why;
        close($file) or die "close: $!\n";
        save($output, fetch($length, $offset, 'writable'));
    },

    # SYMLINK (or CREATE), and READLINK by way of a second mount: the first knows the path.
    'make-link' => sub {
        my ($length, $content, $output) = words(3, @_);
        my ($buffer, $start) = loaded($length, $content);
        my @octets = unpack('C*', substr($$buffer, $start, $length));
        symlink(join('', map { chr(97 + $_ % 16) } @octets), "$mounted/made")
            or die "symlink: $!\n";
        my $path = eval { on_second_mount(sub { readlink("$_[0]/made") // die "readlink: $!\n" }) };
        my $why = $@;
        unlink("$mounted/made") or die "unlink: $!\n";
        defined $path or die $why;
        save($output, $path);
    },

    # SETATTR of a list whose entries are for users that are called as the data, and GETATTR of it
    # by way of a second mount: the first knows the list.
    'keep-list' => sub {
        my ($length, $content, $output) = words(3, @_);
        my ($buffer, $start) = loaded($length, $content);
        my @names = map { unpack('H*', $_) } unpack('(a16)*', substr($$buffer, $start, $length));
        my ($list, $name) = (nfs4_list(map { "$_@" } @names), 'system.nfs4_acl');
        my $file = 'writable';
        give("$mounted/$file", $name, $list);
        my $given = on_second_mount(sub {
            return value("$_[0]/$file", $name);
        });
        my ($count, @entries) = unpack('N (N3 N/a x!4)*', $given);
        my @users = map { $entries[4 * $_ + 3] =~ s/\@\z//r } 0 .. $#entries / 4;
        $count == @users or die "getxattr: $count entries, and " . @users . " came\n";
        save($output, join '', map { pack('H*', $_) } @users);
    },

    # SETXATTR, GETXATTR by way of a second mount, and REMOVEXATTR: the first knows the value.
    'keep-attribute' => sub {
        my ($length, $content, $output) = words(3, @_);
        my ($buffer, $start) = loaded($length, $content);
        my ($file, $name) = ("writable", 'user.kept');
        give("$mounted/$file", $name, substr($$buffer, $start, $length));
        my $value = eval { on_second_mount(sub { value("$_[0]/$file", $name) }) };
        my $why = $@;
        syscall(SYS_removexattr, "$mounted/$file", $name) == 0 or die "removexattr: $!\n";
        defined $value or die $why;
        save($output, $value);
    },

    # Both with one file, in a mount of its own with that flavor of Kerberos, which stays.
    'exchange' => sub {
        my ($flavor, $length, $content, $output) = words(4, @_);
        my $main = $mounted;
        local $mounted = "$main-$flavor";
        unless (-d $mounted) {
            mkdir($mounted) or die "mkdir: $!\n";
            mount_or_go($mounted, $ENV{OPTIONS} =~ s/sec=\w+/sec=$flavor/r);
        }
        store($length, $content);
        save($output, fetch($length, 0, 'writable'));
    },

    # A Long Call: nothing in it may be reduced.
    'set-list' => sub {
        my ($kind) = @_;
        my ($name, $list) = $kind eq 'nfs4'
            ? ('system.nfs4_acl', nfs4_list(('EVERYONE@') x 200))
            : posix_list();
        give("$mounted/writable", $name, $list);
    },

    # GETATTR, LOOKUP, ACCESS, READDIR (PLUS): 600 names with their attributes.
    'list' => sub {
        names('many');
    },

    # The same of a folder with so many names.
    'list-names' => sub {
        my ($count, $output) = words(2, @_);
        save($output, join "\n", sort grep { !/^\.\.?$/ } names("list-$count"));
    },

    # The kernel calls NULL whenever it has connected for a mount, and never else.
    'mount-again' => sub {
        unmount($mounted);
        mount_or_go($mounted, $ENV{OPTIONS});
    },

    'unmount' => sub {
        unmount($mounted);
        rmdir($mounted) or die "rmdir: $!\n";
    },
);

$| = 1;
while (defined(my $line = <STDIN>)) {
    chomp $line;
    my ($act, $rest) = split / /, $line, 2;
    my $done = eval { $acts{$act}->($rest); 1 };
    my $why = join ' ', split ' ', $@;
    print $done ? "done\n" : "failed $why\n";
}

# So many words, the last of which may be a path with blanks; one before it may not.
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

# What the client reads past its cache.
sub fetch {
    my ($length, $offset, $name) = ($_[0], $_[1] // 0, $_[2] // 'plain');
    my ($buffer, $start) = pages($length, $offset % PAGE);
    sysopen(my $file, "$mounted/$name", O_DIRECT) or die "open: $!\n";
    sysseek($file, $offset, 0);
    defined(sysread($file, $$buffer, $length, $start)) or die "read: $!\n";
    return substr($$buffer, $start);
}

# What the client writes past its cache.
sub store {
    my ($length, $content, $offset) = @_;
    my ($buffer, $start) = loaded($length, $content, ($offset // 0) % PAGE);
    sysopen(my $file, "$mounted/writable", O_WRONLY | O_DIRECT) or die "open: $!\n";
    sysseek($file, $offset // 0, 0);
    (syswrite($file, $$buffer, $length, $start) // -1) == $length or die "write: $!\n";
    close($file) or die "close: $!\n";
}

# So many octets of a file of ours, in memory as `pages` has it.
sub loaded {
    my ($length, $content, $before) = @_;
    open(my $from, '<:raw', $content) or die "open: $!\n";
    my ($buffer, $start) = pages($length, $before);
    sysread($from, $$buffer, $length, $start) == $length or die "$content: too short\n";
    return ($buffer, $start);
}

# Room for so many octets that begin with a page, as programs that read past the cache have it, or
# so many octets behind its beginning.
sub pages {
    my ($length, $before) = @_;
    my $buffer = "\0" x ($length + 2 * PAGE);
    vec($buffer, 0, 8) = 0;    # so that the string is no shared copy, and stays where it is
    return (\$buffer, (-unpack('J', pack('p', $buffer)) & (PAGE - 1)) + ($before // 0));
}

# Have the client forget what it has cached of a file or folder; noac does not see to that.
sub forget {
    my ($file) = @_;
    syscall(SYS_fadvise64, fileno $file, 0, 0, POSIX_FADV_DONTNEED) == 0 or die "fadvise: $!\n";
}

# What a file has under the name of an attribute.
sub value {
    my ($path, $name) = @_;
    my $room = "\0" x LIST_MAXIMUM;
    my $octets = syscall(SYS_getxattr, $path, $name, $room, LIST_MAXIMUM);
    die "getxattr: $!\n" if $octets < 0;
    return substr($room, 0, $octets);
}

# The names in a folder.
sub names {
    my ($name) = @_;
    sysopen(my $folder, "$mounted/$name", 0) or die "open: $!\n";
    forget($folder);
    close($folder);
    opendir(my $listed, "$mounted/$name") or die "opendir: $!\n";
    $! = 0;
    my @names = readdir($listed);
    die "readdir: $!\n" if $!;
    closedir($listed);
    return @names;
}

# What something gives of a second mount, which has a cache of its own.
sub on_second_mount {
    my ($do) = @_;
    my $place = "$mounted-2";
    mkdir($place) or die "mkdir: $!\n";
    my $mounts = mount($place, "$ENV{OPTIONS},nosharecache");
    my $why = $mounts ? '' : "mount: $!\n";
    my $result = $mounts ? eval { $do->($place) } : undef;
    $why ||= $@;
    unmount($place) if $mounts;
    rmdir($place) or die "rmdir: $!\n";
    die $why if $why;
    return $result;
}

sub save {
    my ($path, $data) = @_;
    open(my $file, '>:raw', $path) or die "$path: $!\n";
    print $file $data or die "$path: $!\n";
    close($file) or die "$path: $!\n";
}

sub mount {
    my ($place, $options) = @_;
    my $type = 'nfs';
    return syscall(SYS_mount, $source, $place, $type, 0, $options) == 0;
}

# A mount point without a mount goes, so that nothing is done there.
sub mount_or_go {
    my ($place, $options) = @_;
    return if mount($place, $options);
    my $why = $!;
    rmdir($place);
    die "mount: $why\n";
}

sub unmount {
    my ($place) = @_;
    # On a busy machine a program whose call has failed may hold on for a moment.
    for (1 .. BUSY_TENTHS) {
        return if syscall(SYS_umount2, $place, 0) == 0;
        last if $! != EBUSY;
        select(undef, undef, undef, 0.1);
    }
    my $why = $!;
    die join('; ', "umount: $why", waiting()), "\n";
}

# Programs that do not end even when they are killed, each with what it waits for in the kernel.
sub waiting {
    my @waiting;
    for my $process (glob '/proc/[0-9]*') {
        my ($name, $state) = contents("$process/stat") =~ /\((.*)\) (\S)/ or next;
        my @calls = contents("$process/stack") =~ /\] (\w+)/g or next;
        splice @calls, 4;
        push @waiting, "$name waits in @calls" if $state eq 'D';
    }
    return @waiting;
}

# What a file of the kernel holds, while there is one.
sub contents {
    my ($name) = @_;
    open(my $file, '<', $name) or return '';
    local $/;
    return <$file> // '';
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

# Give a file a list.
sub give {
    my ($file, $name, $list) = @_;
    syscall(SYS_setxattr, $file, $name, $list, length $list, 0) == 0 or die "setxattr: $!\n";
}

# An access control list as NFSv4 has it, which allows each of them to read; with 200 times EVERYONE@
# it has 5604 octets.
sub nfs4_list {
    return pack('N', scalar @_) . join '', map { pack('N3 N/a* x!4', 0, 0, 1, $_) } @_;
}

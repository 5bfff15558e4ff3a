#!/bin/bash
# Run in the lab: the kernel's client mounts the reference server and uses every kind of operation.
#
#     mount_nfs4.sh PYTHON ADDRESS PORT VERSION...
#
# Prints one line for each thing that it saw, which tests/lab/test_kernel_mounts_nfs4.py compares.

set -euo pipefail
python=$1 address=$2 port=$3
shift 3

coproc server { exec "$python" -m targets.reference.server_process --listen "$address:$port"; }
read -r -t 120 -u "${server[0]}" listening
echo "listening $listening"
mkdir /run/mounted
head -c 300000 /dev/urandom > /run/source

for version in "$@"; do
    options=vers=$version,proto=rdma,port=$port,sec=sys,soft,timeo=50,retrans=1
    timeout 60 mount -t nfs -o "$options" "$address:/" /run/mounted
    cd /run/mounted
    echo "$version entries $(timeout 60 ls many | wc -l)"
    echo "$version stat $(timeout 20 stat --format '%s %a %F' size-4096)"
    echo "$version link $(timeout 20 readlink link | sha256sum)"
    for name in size-0 size-1000 size-1048576; do
        echo "$version $name $(timeout 60 sha256sum < $name)"
    done

    timeout 60 dd if=/run/source of=copy bs=64k conv=fsync status=none
    echo "$version copied $(timeout 60 dd if=copy iflag=direct bs=64k status=none | cmp - /run/source && echo same)"
    timeout 20 ln -s somewhere/else symbol
    echo "$version symbol $(timeout 20 readlink symbol)"
    timeout 20 mkdir folder
    timeout 20 mv copy folder/moved
    timeout 20 ln folder/moved folder/second
    timeout 20 chmod 600 folder/second
    echo "$version moved $(timeout 20 stat --format '%s %a %h' folder/moved)"
    timeout 20 truncate --size 5 folder/moved
    echo "$version cut $(timeout 20 stat --format '%s' folder/second)"
    timeout 20 rm folder/moved folder/second symbol
    timeout 20 rmdir folder
    echo "$version gone $(timeout 20 ls | grep -c -e folder -e symbol -e copy || true)"

    readers=()
    for reader in 1 2 3 4 5 6; do
        timeout 60 dd if=size-65536 iflag=direct bs=4096 status=none | sha256sum > "/run/reader-$reader" &
        readers+=($!)
    done
    for reader in "${readers[@]}"; do wait "$reader"; done
    echo "$version readers $(sort -u /run/reader-* | wc -l) $(sort -u /run/reader-*)"

    cd /
    timeout 60 umount /run/mounted
    echo "$version unmounted"
done
kill "$server_PID"

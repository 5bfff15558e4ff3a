"""The lab: a kernel under QEMU with Soft-RoCE and the Linux NFS/RDMA implementation."""

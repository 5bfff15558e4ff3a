"""Kerberos for RPCSEC_GSS: a realm made for one run, its keys on this machine and in the guest."""

"""Our decoders of headers beside those that rpcgen makes from the same XDR."""

"""The XDR language (RFC 4506): parser, syntax tree, code generator and run-time support."""

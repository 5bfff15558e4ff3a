"""The site of the documentation: what of it is made from the code when it is built."""

"""What the documents demand: the catalogue's files, its reader, and how cases cite it."""

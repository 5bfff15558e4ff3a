"""Reports as pages: a first page, a page a case, the requirements, and many runs side by side."""

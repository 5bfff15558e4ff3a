"""The reference endpoint with something that it keeps or takes longer for, once for each leak."""

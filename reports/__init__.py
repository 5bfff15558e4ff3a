"""Run records and what is made of them."""

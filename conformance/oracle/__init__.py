"""What the documents allow: octets and state in, alternatives out.

Pure: no fabric, no pytest, no target, no endpoint.  `responder` judges what a Responder may do
about any octets, `requester` what a Requester may send and do.
"""

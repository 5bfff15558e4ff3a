"""placeholder"""

from __future__ import annotations

from rpcrdma.xdr import model


class FastEmitter:
    def __init__(self, schema: model.Schema) -> None:
        self._schema = schema

    def declarations(self) -> list[str]:
        return []

    def decoder(self, name: str) -> list[str]:
        return []

    def encoder(self, name: str) -> list[str]:
        return []

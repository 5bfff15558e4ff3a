"""The numbers of the codecs stay, whatever is added."""

from __future__ import annotations

from fuzz.codec_table import codec_at, codecs, number_of


def test_each_codec_has_its_number() -> None:
    assert len(codecs()) > 300
    for number, codec in codecs().items():
        assert number_of(codec.name) == number
        assert codec_at(number) is codec


def test_a_number_does_not_depend_on_the_other_types() -> None:
    assert number_of("v2:rdma2_header") == 0x0E532263
    assert codec_at(number_of("nfs4:compound_arguments") + 1) in codecs().values()

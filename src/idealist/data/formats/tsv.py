"""TSV: columns with a header, by tabs."""

from __future__ import annotations

from idealist.data.formats.delimited import Delimited


class Tsv(Delimited):
    name = "tsv"
    label = "TSV"
    about = "columns with a header, by tabs"
    endings = (".tsv",)
    delimiters = ("\t",)
    written = "the columns query, document and score or grade, with a header"


FORMAT = Tsv()

"""CSV: columns with a header, by commas, semicolons or bars."""

from __future__ import annotations

from idealist.data.formats.delimited import SIGNS, Delimited


class Csv(Delimited):
    name = "csv"
    label = "CSV"
    about = "columns with a header, by commas, semicolons or bars"
    endings = (".csv",)
    delimiters = tuple(sign for sign in SIGNS if sign != "\t")
    written = "the columns query, document and score or grade, with a header"


FORMAT = Csv()

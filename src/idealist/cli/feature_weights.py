"""Weights of queries where commands train: --weights and --weight-by, as `idealist evaluate` has them."""

from __future__ import annotations

from idealist.errors import InputError

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse

    from idealist.data.query_weights import QueryWeights


def weights_of(arguments: argparse.Namespace) -> QueryWeights | None:
    """What every query counts; None where all count alike."""
    if arguments.weights is None:
        if arguments.weight_by is not None:
            raise InputError("--weight-by names a column of --weights", hint="name that file, too")
        return None
    from idealist.data.weight_reading import read_weights

    return read_weights(
        arguments.weights,
        column=arguments.weight_by,
        encoding=arguments.encoding,
        decimal=arguments.decimal,
    )

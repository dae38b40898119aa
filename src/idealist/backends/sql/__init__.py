"""The algebra of measures as formulas: nothing is computed, and what comes out is text that a database computes.

`formula_nodes` are formulas over a document or over a query, each there once; `formula_numbers` are the Places and Values that are made of them, and
`formula_lists` the operations that measures ask of lists. `formula_functions` turn a function of one number, such as what a grade is worth, into a
formula. `column_sheet` asks a measure for its formula, and finds out which formulas become columns, and in which stage."""

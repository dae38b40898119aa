"""The algebra of measures as formulas: nothing is computed, and what comes out is text that a database computes.

`nodes` are formulas over a document or over a query, each there once; `numbers` are the Places and Values that are made of them, and
`lists` the operations that measures ask of lists. `following` turns a function of one number, such as what a grade is worth, into a
formula. `sheet` finds out which formulas become columns, and in which stage. `forms` asks a measure for its formula."""

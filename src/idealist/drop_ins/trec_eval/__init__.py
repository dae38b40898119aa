"""trec_eval: what it measures (`measure_catalogue`), how it reads text, its values, and its `program`."""

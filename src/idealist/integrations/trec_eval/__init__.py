"""trec_eval: what it measures (`catalogue`), how it reads text, and its command."""

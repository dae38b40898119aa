"""In the place of RankLib: its options, metrics, normalisation and files, with our trainers."""

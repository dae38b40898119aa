"""In the place of other tools, under their names and with their values: trec_eval, pytrec_eval, ir_measures, scikit-learn, RankLib."""

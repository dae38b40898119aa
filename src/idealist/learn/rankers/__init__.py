"""Rankers with scikit-learn's interface, and folds that keep queries whole."""

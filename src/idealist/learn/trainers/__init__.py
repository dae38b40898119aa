"""How models are fitted: a module for each kind of model, with its trainers; `trainer` says what one is."""

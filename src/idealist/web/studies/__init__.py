"""What the answers to tasks say: GSB, grades, raters, and decisions on what they disagree about."""

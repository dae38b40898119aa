"""How sure a number is: intervals, tests, corrections, power. It knows numbers only, not systems or votes."""

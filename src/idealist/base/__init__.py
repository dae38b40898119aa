"""The ground floor: frozen objects, public names, errors, wording, the operating system, values and named things."""

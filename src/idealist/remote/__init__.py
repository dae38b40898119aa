"""Requests to servers: `transport` sends one and says what came of it, `sending` sends many, at a pace."""

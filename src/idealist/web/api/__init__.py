"""The JSON API: what the pages do, described by OpenAPI at /api/openapi.json."""

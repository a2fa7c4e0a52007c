"""What the templates read: frozen dataclasses, filled by `app.present`, held by tests.

A template formats and lays out; it decides nothing. Every string here is plain text (templates escape it).
"""

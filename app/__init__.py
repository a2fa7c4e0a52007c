"""The web app around the engine: pages and JSON for the lab and the trace."""

"""The engine's values become what templates read (`app/views/`): typed views, no markup, no decisions left over.

`lab` puts a step together from `lists`, `sentence` and `drawing`; `trace` shows how a text is encoded; all of them
show tokens by `glyphs`.
"""

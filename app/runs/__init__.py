"""Runs in memory, trained in processes of their own.

`book` finds or trains the run of an id; `live` is such a run; `crew` keeps the `worker`s, each of which goes round its
trainings in the `training_loop`.
"""

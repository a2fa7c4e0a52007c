"""Byte-pair encoding, step by step: a pure engine that knows no web and no display.

>>> run = train(Recipe("low low lower lowest", vocab_size=259))
>>> step = run.step(1)
>>> run.token(step.token), step.count, step.tied_total
(b'ow', 4, 2)
>>> encode("lowest", run.vocabulary(3))
[257, 101, 115, 116]

Reading order: `errors`, `patterns`, `pretokens`, `sources`, `blocks`, `plain`, `counting`, `parallel` and `table` (a
text becomes counted rows), `pairs` (what is counted, how ties are broken, what a merge does: the definitions), `steps`
(what a run says), `recipe`, `cells` and `ranking` (the same without recounting), `records` and `training` (the log),
`boundaries`, `changes`, `row_log`, `pair_log` and `run` (reading it as of any step), `vocabulary`, `chain` and
`encoding`.

In `fast`, the same on whole arrays: `keys` and `tally` (counts that can be merged), `chunks` and `chunk_counter` (what
a text repeats is cut once), `byte_classes` and `gpt2_counter` (GPT-2's pattern without the pattern).
"""

from tokenizer.counting import count
from tokenizer.encoding import Candidate, Iteration, Specials, Trace, TracedPiece, decode, encode, iterations, trace
from tokenizer.errors import (
    CorpusError,
    EndReason,
    Exhausted,
    NotYet,
    PatternError,
    RecipeError,
    TokenizerError,
    UnknownId,
)
from tokenizer.patterns import GPT2, NAMED, SplitPattern, custom
from tokenizer.pretokens import Piece, pieces, pre_tokens, replace_surrogates
from tokenizer.recipe import TIE_RULES, Method, Recipe, TieRule
from tokenizer.run import Run
from tokenizer.steps import Merge, Pair, PairChange, PairCount, Row, RowChange, RowWindow, Step, Totals, Tree
from tokenizer.table import Table
from tokenizer.training import Trainer, prepare, train
from tokenizer.vocabulary import Vocabulary

__all__ = [
    "GPT2",
    "NAMED",
    "TIE_RULES",
    "Candidate",
    "CorpusError",
    "EndReason",
    "Exhausted",
    "Iteration",
    "Merge",
    "Method",
    "NotYet",
    "Pair",
    "PairChange",
    "PairCount",
    "PatternError",
    "Piece",
    "Recipe",
    "RecipeError",
    "Row",
    "RowChange",
    "RowWindow",
    "Run",
    "Specials",
    "SplitPattern",
    "Step",
    "Table",
    "TieRule",
    "TokenizerError",
    "Totals",
    "Trace",
    "TracedPiece",
    "Trainer",
    "Tree",
    "UnknownId",
    "Vocabulary",
    "count",
    "custom",
    "decode",
    "encode",
    "iterations",
    "pieces",
    "pre_tokens",
    "prepare",
    "replace_surrogates",
    "trace",
    "train",
]

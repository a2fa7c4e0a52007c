"""Byte-pair encoding, step by step: a pure engine that knows no web and no display.

>>> run = train(Recipe("low low lower lowest", vocab_size=259))
>>> step = run.step(1)
>>> run.token(step.token), step.count, step.tied_total
(b'ow', 4, 2)
>>> encode("lowest", run.vocabulary(3))
[257, 101, 115, 116]

Reading order: `errors`, `patterns`, `pretokens`, `sources`, `blocks`, `plain`, `counting`, `processes`, `parallel` and
`table` (a text becomes counted rows), `pairs` (what is counted, how ties are broken, what a merge does: the
definitions), `steps` (what a run says), `recipe`, `layout`, `counted_pair`, `cells`, `ranking` and `merging` (the same
without recounting), `records` and `training` (the log), `garbage`, `lazy_queue` and `learning` (without a log),
`boundaries`, `changes`, `row_log`, `pair_log` and `run` (reading the log as of any step), `vocabulary`, `chain` and
`encoding`, `byte_level`, `replacing` and `saved` (a vocabulary in a folder).

In `fast`, the same on whole arrays: `keys` and `tally` (counts that can be merged), `chunks`, `chunk_counter` and
`plain_blocks` (what a text repeats is cut once, and what it does not repeat plainly), `byte_classes` and `gpt2_counter`
(GPT-2's pattern without the pattern).
Encoding there: `key_table` (numbers by keys), `batch` (many pre-tokens merged together), `runs` (ids by number),
`memo`, `pre_token_runs`, `chunk_runs` and `piece_runs` (each distinct piece is encoded once), `known_ids` (short
texts), `finer_chunks` (smaller pieces for two more patterns) and `encoder`.
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
    VocabularyError,
)
from tokenizer.fast.encoder import Encoder
from tokenizer.learning import Learner, learn
from tokenizer.parallel import count_files
from tokenizer.patterns import GPT2, NAMED, SplitPattern, custom
from tokenizer.pretokens import Piece, pieces, pre_tokens, replace_surrogates
from tokenizer.recipe import TIE_RULES, Method, Recipe, TieRule
from tokenizer.run import Run
from tokenizer.sources import Source
from tokenizer.steps import Merge, Pair, PairChange, PairCount, Row, RowChange, RowWindow, Step, Totals, Tree
from tokenizer.table import Mark, Table
from tokenizer.training import Trainer, prepare, train
from tokenizer.vocabulary import Vocabulary

__all__ = [
    "GPT2",
    "NAMED",
    "TIE_RULES",
    "Candidate",
    "CorpusError",
    "Encoder",
    "EndReason",
    "Exhausted",
    "Iteration",
    "Learner",
    "Mark",
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
    "Source",
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
    "VocabularyError",
    "count",
    "count_files",
    "custom",
    "decode",
    "encode",
    "iterations",
    "learn",
    "pieces",
    "pre_tokens",
    "prepare",
    "replace_surrogates",
    "trace",
    "train",
]

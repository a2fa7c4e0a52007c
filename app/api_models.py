"""The JSON interface's bodies, as OpenAPI documents them. `api_values.py` fills them; tests hold the two together."""

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, FailFast, Field

from app.forms import MOST_OFFSET, CustomPattern, PatternName, Specials, SpecialTokens
from tokenizer.errors import EndReason


class Model(BaseModel):
    """A body that is exactly what is declared."""

    model_config = ConfigDict(extra="forbid", strict=True)


RunId = Annotated[str, Field(description="a run's id: 26 characters of a-z and 2-7", examples=["a" * 26])]
Step = Annotated[int, Field(ge=0, le=10_000_000, description="as of which step; the last known one when left out")]


class Token(Model):
    """A token. `text` is null where its bytes are not whole UTF-8; `special` is there, true, for a special token."""

    id: int
    hex: str
    text: str | None
    special: bool = False


Pair = Annotated[list[Token], Field(min_length=2, max_length=2)]


class ErrorDetail(Model):
    """What went wrong. `code` is for programs, `message` for people.

    Of an exhausted run `reason` says what ended it and `last` is its last step; a busy server tells in `retry_after`
    after how many seconds to ask again.
    """

    code: str
    message: str
    field: str | None = None
    position: int | None = None
    reason: EndReason | None = None
    last: int | None = None
    retry_after: int | None = None


class ErrorOut(Model):
    """The body of every answer from 400 on."""

    error: ErrorDetail


class ProgressDetail(Model):
    """How far the work is: bytes of the corpus that are counted, or steps that are made, of all that are waited for.

    `seconds_left` is an estimate of how long this phase still takes, null while there is none.
    """

    done: int
    total: int
    phase: Literal["counting", "training"]
    seconds_left: float | None


class ProgressOut(Model):
    """202: ask again in `retry_after` seconds."""

    progress: ProgressDetail
    retry_after: int


class RunOut(Model):
    """A run that was opened. `notices` says what was changed in the input, lone surrogates for instance."""

    run: RunId
    links: dict[str, str]
    notices: list[str] = []


class CorpusOut(Model):
    """A corpus by length and digest."""

    bytes: int
    characters: int
    sha256: str


class RecipeOut(Model):
    """A recipe, without its corpus."""

    corpus: CorpusOut
    algorithm: str
    pattern: PatternName | CustomPattern
    tie_rule: str
    special_tokens: list[str]
    vocab_size: int | None
    min_count: int


class RunDetails(Model):
    """A run. Pairs are counted at step 0; `reason` says what ended it, null while it can go on."""

    run: RunId
    recipe: RecipeOut
    bytes: int
    characters: int
    pre_token_occurrences: int
    distinct_pre_tokens: int
    distinct_pairs: int
    uncovered: Annotated[int, Field(description="pieces of the corpus that no match of the pattern covers")]
    steps_known: int
    exhausted: bool
    reason: EndReason | None
    links: dict[str, str]


class RowChange(Model):
    """A row that a step changed.

    A row that is too long to be shown whole has its first changed stretch in `before` and `after`, and says with
    `windows_total`, `before_total` and `after_total` how much there is; `windows` are the first stretches, each at
    `offset` bytes of the pre-token.
    """

    row: int
    count: int
    before: list[int]
    after: list[int]
    windows: list["RowWindow"] | None = None
    windows_total: int | None = None
    before_total: int | None = None
    after_total: int | None = None


class RowWindow(Model):
    """A stretch of a long row."""

    offset: int
    before: list[int]
    after: list[int]


class PairCount(Model):
    """A pair and its count."""

    pair: Pair
    count: int


class PairChange(Model):
    """A pair whose count changed."""

    pair: Pair
    before: int
    after: int


class StepOut(Model):
    """A step: what was decided and what changed. Each list is cut at `limit`; its `_total` says how many there are."""

    number: int
    kind: Literal["merge"]
    token: Token
    pair: Pair
    count: int
    replaced: int
    ordered: Annotated[bool, Field(description="the pair was given, not chosen; `tied` is then that pair alone")]
    tied: Annotated[list[Pair], Field(description="the chosen pair, then the others in the order of the tie rule")]
    tied_total: int
    rows_changed: list[RowChange]
    rows_changed_total: int
    pairs_new: list[PairCount]
    pairs_new_total: int
    pairs_gone: list[Pair]
    pairs_gone_total: int
    pairs_changed: list[PairChange]
    pairs_changed_total: int
    sentence: str
    last: bool


class TableRow(Model):
    """A row. One that is too long has its beginning; `pre_token_bytes` and `tokens_total` then say how long it is."""

    row: int
    pre_token: str
    count: int
    tokens: list[Token]
    pre_token_bytes: int | None = None
    tokens_total: int | None = None


class TableOut(Model):
    """Rows by count, then first seen."""

    step: int
    rows: list[TableRow]
    total: int


class PairsOut(Model):
    """Pairs in the order in which the tie rule would take them."""

    step: int
    pairs: list[PairCount]
    total: int


class Merge(Model):
    """A merge; ranks count from 0."""

    rank: int
    pair: Pair
    token: Token
    count: int


class MergesOut(Model):
    """The merges up to a step, oldest first."""

    step: int
    merges: list[Merge]
    total: int


class PreTokensIn(Model):
    """A text to cut."""

    text: str
    pattern: PatternName | CustomPattern = "gpt2"
    special_tokens: SpecialTokens = []
    offset: Annotated[int, Field(ge=0, le=MOST_OFFSET, description="pre-tokens to leave out at the start")] = 0
    limit: Annotated[int | None, Field(ge=1, description="how many at most; all that are sent at once by default")] = (
        None
    )


class PreToken(Model):
    """A piece of a text; `start` and `end` count characters.

    `alternative` is the number, from 0, of the pattern's alternative that matched; null for a special token and for
    text that no match covers.
    """

    text: str
    start: int
    end: int
    alternative: int | None
    special: bool


class PreTokensOut(Model):
    """All pieces in order; they make up the text again. `truncated` where `total` says that there are more."""

    pre_tokens: list[PreToken]
    total: int
    truncated: bool
    alternatives: Annotated[list[str], Field(description="the pattern's alternatives, which `alternative` counts")]
    notices: list[str] = []


class TokenizerRef(Model):
    """A run as a tokenizer; `step` null is the last known step."""

    run: RunId
    step: Annotated[int | None, Field(ge=0, le=10_000_000)] = None


class TextIn(Model):
    """A text to encode."""

    tokenizer: TokenizerRef
    text: str
    special_tokens: Specials = "as_special"


class IdsIn(Model):
    """Ids to decode."""

    tokenizer: TokenizerRef
    ids: Annotated[list[int], FailFast()]


class Candidate(Model):
    """A pair that has a merge, and the indexes of the tokens at which it begins."""

    pair: Annotated[list[str], Field(min_length=2, max_length=2, description="hex")]
    rank: int
    positions: list[int]


class Iteration(Model):
    """A round: the tokens before it, the candidates by rank, the rank applied.

    `tokens_total` is there where the tokens, and with them the candidates, are cut.
    """

    tokens: Annotated[list[str], Field(description="hex")]
    candidates: list[Candidate]
    applied: int
    tokens_total: int | None = None


class TracedPreToken(Model):
    """A pre-token or special token of the text; `whole_piece` where it is one token as a whole."""

    text: str
    ids: list[int]
    special: bool
    whole_piece: bool
    iterations: list[Iteration]
    iterations_total: int


class TraceOut(Model):
    """How a text is encoded. The ids are always all there; `truncated` where anything else is cut."""

    step: int
    ids: list[int]
    tokens: list[Token]
    bytes: int
    code_points: int
    bytes_per_token: float | None
    round_trip: bool
    pre_tokens: list[TracedPreToken]
    pre_tokens_total: int
    truncated: bool
    notices: list[str] = []


class EncodeOut(Model):
    """The ids of a text."""

    step: int
    ids: list[int]
    notices: list[str] = []


class DecodeOut(Model):
    """The text of ids; where their bytes are not whole UTF-8, `text` has U+FFFD and `valid_utf8` is false."""

    step: int
    text: str
    hex: str
    valid_utf8: bool

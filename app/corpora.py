"""Where the corpus of a sent form comes from: the text box, the run before, a sample, a file, or a kept upload."""

import dataclasses
from collections.abc import Iterable
from contextlib import AsyncExitStack, suppress
from dataclasses import dataclass

import anyio.to_thread
from starlette.datastructures import FormData, UploadFile
from starlette.requests import Request

from app.bodies import file_of, text_of
from app.files import blocks_of, blocks_of_path, blocks_of_text
from app.kept import DiskFull, KeptCorpus, KeptRecipe
from app.samples import SAMPLES
from app.services import Services
from app.sessions import session_of
from app.text_boxes import kept
from app.views.recipe import FieldError
from tokenizer.errors import CorpusError


@dataclass(slots=True)
class Chosen:
    """A corpus, or why there is none.

    `typed` says that it came as text. `base` is the recipe that the editor showed and `base_text` what it showed of its
    corpus, `kept_upload` the key to a file that is kept and `kept_name` its name, `file` one that came with the form,
    `values` the choices to show again (`unread` is among them where the file is not UTF-8). `field` is where the corpus
    comes from.
    """

    corpus: KeptCorpus | None = None
    typed: bool = False
    base: KeptRecipe | None = None
    base_text: str = ""
    errors: list[FieldError] = dataclasses.field(default_factory=list)
    kept_upload: str = ""
    kept_name: str = ""
    field: str = "corpus"
    file: UploadFile | None = None
    values: dict[str, str] = dataclasses.field(default_factory=dict)

    def add(self, errors: Iterable[FieldError]) -> None:
        """Say what else is wrong; of the corpus beside where it comes from."""
        self.errors += [FieldError(self.field, error.message) if error.field == "corpus" else error for error in errors]


async def chosen_corpus(request: Request, form: FormData, parts: Services, stack: AsyncExitStack) -> Chosen:
    """The corpus that a form means. A file that was picked counts whatever else is chosen.

    Args:
        request: what sent it, with the session that upload keys belong to.
        form: the form.
        parts: the store and the limits.
        stack: while it is open, a corpus that has arrived is there; afterwards only if a recipe keeps it.

    Raises:
        DiskFull: there is no room for it.
    """
    base = await parts.store.recipe(text_of(form, "base")) if text_of(form, "base") else None
    chosen = Chosen(base=base, base_text=await shown_text(base, parts))
    source = text_of(form, "source", "text")
    decode = text_of(form, "decode")
    chosen.file = file_of(form, "file")
    chosen.values = {"source": "file" if chosen.file else source, "sample": text_of(form, "sample")}
    arrival = _Arrival(chosen, parts, stack)
    if chosen.file is not None:
        chosen.field = "file"
        await _read(arrival, chosen.file, decode)
    elif key := text_of(form, "kept_upload") if decode in ("replace", "latin-1") or source == "file" else "":
        chosen.field = chosen.values["source"] = "file"
        await _read_again(request, arrival, key, decode)
    elif source == "file":
        chosen.errors.append(FieldError("file", "No file is chosen. Choose one, or take another source."))
    elif source == "sample":
        chosen.field = "sample"
        await _take_sample(arrival, text_of(form, "sample"))
    elif source == "keep":
        _keep(chosen)
    else:
        chosen.typed = True
        await arrival.of(blocks_of_text(kept(text_of(form, "corpus"), chosen.base_text)))
    return chosen


async def shown_text(base: KeptRecipe | None, parts: Services) -> str:
    """What the editor shows of a recipe's corpus: all of it, or nothing where it is too long to be edited."""
    if base is None or base.corpus.bytes > parts.settings.textarea_bytes or not base.corpus.is_there:
        return ""
    return (await anyio.to_thread.run_sync(base.corpus.path.read_bytes)).decode(errors="replace")


async def keep_file(request: Request, chosen: Chosen, parts: Services) -> None:
    """Keep the file of a form that has to be sent again, since a browser does not fill a file in again.

    Where there is no room for it, the form goes back without: what is wrong with it is worth more.
    """
    if chosen.file is not None and (chosen.file.size or 0) <= parts.settings.max_corpus_bytes:
        name = chosen.file.filename or ""
        with suppress(DiskFull):
            key = await parts.store.keep_upload(session_of(request).key, name, blocks_of(chosen.file.file))
            chosen.kept_upload, chosen.kept_name = key or "", name


@dataclass(frozen=True, slots=True)
class _Arrival:
    """The way of a corpus into the store."""

    chosen: Chosen
    parts: Services
    stack: AsyncExitStack

    async def of(self, blocks: Iterable[bytes], read_as: str = "strict", name: str = "") -> None:
        """Receive it, or say why it cannot be read."""
        try:
            arriving = self.parts.store.arriving(blocks, read_as)
            self.chosen.corpus = await self.stack.enter_async_context(arriving)
        except CorpusError as error:
            self.chosen.values["unread"] = "yes"
            self.chosen.errors.append(FieldError("file", f"“{name[:100]}”: {error.message}"))


async def _read(arrival: _Arrival, file: UploadFile, decode: str) -> None:
    limit, size, name = arrival.parts.settings.max_corpus_bytes, file.size or 0, file.filename or ""
    if size > limit:
        message = f"The file “{name[:100]}” has {size:,} bytes; at most {limit:,} are taken."
        arrival.chosen.errors.append(FieldError("file", message))
        return
    await arrival.of(blocks_of(file.file), decode, name)


async def _read_again(request: Request, arrival: _Arrival, key: str, decode: str) -> None:
    upload = await arrival.parts.store.upload(session_of(request).key, key)
    if upload is None or not upload.path.is_file():
        message = "The file is not kept any more, or this browser keeps no cookies. Choose it again."
        arrival.chosen.errors.append(FieldError("file", message))
        return
    arrival.chosen.kept_upload, arrival.chosen.kept_name = key, upload.name
    await arrival.of(blocks_of_path(upload.path), decode, upload.name)


async def _take_sample(arrival: _Arrival, key: str) -> None:
    sample = SAMPLES.get(key)
    if sample is None:
        message = "There is no such sample corpus; choose one of the list."
        arrival.chosen.errors.append(FieldError("sample", message))
    else:
        await arrival.of(blocks_of_text(sample.text))


def _keep(chosen: Chosen) -> None:
    if chosen.base is None:
        message = "The corpus that was to be kept is not there any more. Paste it, or choose a file."
        chosen.errors.append(FieldError("corpus", message))
    else:
        chosen.corpus = chosen.base.corpus

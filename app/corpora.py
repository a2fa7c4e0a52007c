"""Where the corpus of a sent form comes from: the text box, the run before, a sample, a file, or a kept upload."""

from dataclasses import dataclass, field

import anyio.to_thread
from starlette.datastructures import FormData
from starlette.requests import Request

from app.bodies import file_of, text_of
from app.samples import SAMPLES
from app.services import Services
from app.sessions import session_of
from app.text_boxes import decode_file, kept
from app.views.recipe import FieldError
from tokenizer.errors import CorpusError
from tokenizer.recipe import Recipe


@dataclass(slots=True)
class Chosen:
    """A corpus, or why there is none.

    `base` is the recipe that the editor showed, `kept_upload` the key to a file that is kept, `values` the choices to
    show again (`unread` is among them where the file is not UTF-8).
    """

    corpus: str = ""
    base: Recipe | None = None
    errors: list[FieldError] = field(default_factory=list)
    kept_upload: str = ""
    file: tuple[str, bytes] | None = None
    values: dict[str, str] = field(default_factory=dict)


async def chosen_corpus(request: Request, form: FormData, parts: Services) -> Chosen:
    """The corpus that a form means. A file that was picked counts whatever else is chosen."""
    chosen = Chosen(base=await parts.store.recipe(text_of(form, "base")) if text_of(form, "base") else None)
    source = text_of(form, "source", "text")
    decode = text_of(form, "decode")
    file = file_of(form, "file")
    chosen.values = {"source": "file" if file else source, "sample": text_of(form, "sample")}
    if file is not None:
        await _read(chosen, parts, file.filename or "", await file.read(), decode)
    elif key := text_of(form, "kept_upload") if decode in ("replace", "latin-1") or source == "file" else "":
        await _read_again(request, chosen, parts, key, decode)
    elif source == "file":
        chosen.errors.append(FieldError("file", "No file is chosen. Choose one, or take another source."))
    elif source == "sample":
        _take_sample(chosen, text_of(form, "sample"))
    elif source == "keep":
        _keep(chosen)
    else:
        chosen.corpus = kept(text_of(form, "corpus"), chosen.base.corpus if chosen.base else "")
    return chosen


async def keep_file(request: Request, chosen: Chosen, parts: Services) -> None:
    """Keep the file of a form that has to be sent again, since a browser does not fill a file in again."""
    if chosen.file is not None:
        key = await parts.store.keep_upload(session_of(request).key, *chosen.file)
        chosen.kept_upload = key or ""


async def _read(chosen: Chosen, parts: Services, name: str, data: bytes, decode: str) -> None:
    limit = parts.settings.max_corpus_bytes
    if len(data) > limit:
        message = f"The file “{name[:100]}” has {len(data):,} bytes; at most {limit:,} are taken."
        chosen.errors.append(FieldError("file", message))
        return
    try:
        chosen.corpus = await anyio.to_thread.run_sync(decode_file, data, decode)
    except CorpusError as error:
        chosen.values["unread"] = "yes"
        chosen.errors.append(FieldError("file", f"“{name[:100]}”: {error.message}"))
    chosen.file = (name, data)


async def _read_again(request: Request, chosen: Chosen, parts: Services, key: str, decode: str) -> None:
    upload = await parts.store.upload(session_of(request).key, key)
    if upload is None:
        message = "The file is not kept any more, or this browser keeps no cookies. Choose it again."
        chosen.errors.append(FieldError("file", message))
        return
    chosen.kept_upload = key
    try:
        chosen.corpus = await anyio.to_thread.run_sync(decode_file, upload.data, decode)
    except CorpusError as error:
        chosen.values["unread"] = "yes"
        chosen.errors.append(FieldError("file", f"“{upload.name[:100]}”: {error.message}"))


def _take_sample(chosen: Chosen, key: str) -> None:
    sample = SAMPLES.get(key)
    if sample is None:
        chosen.errors.append(FieldError("sample", "There is no such sample corpus; choose one of the list."))
    else:
        chosen.corpus = sample.text


def _keep(chosen: Chosen) -> None:
    if chosen.base is None:
        message = "The corpus that was to be kept is not there any more. Paste it, or choose a file."
        chosen.errors.append(FieldError("corpus", message))
    else:
        chosen.corpus = chosen.base.corpus

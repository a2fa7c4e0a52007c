"""The trace of a run: how a text is encoded under its merges, and ids back to text."""

from typing import Annotated

import anyio.to_thread
from fastapi import APIRouter, Depends, Query
from starlette.requests import Request
from starlette.responses import Response

from app.services import Services, services

Parts = Annotated[Services, Depends(services)]

router = APIRouter(include_in_schema=False)

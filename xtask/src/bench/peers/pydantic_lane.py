"""Pydantic's lane: strict first; when that fails, lax mode, and the result written anew."""

from typing import Literal

import pydantic
from pydantic import BaseModel, ConfigDict, Field, ValidationError

import stopwatch


class Task(BaseModel):
    model_config = ConfigDict(extra="forbid")
    id: int
    text: str
    done: bool = None


class Note(BaseModel):
    """The work order's schema as a model."""

    model_config = ConfigDict(extra="forbid")
    title: str = Field(min_length=1)
    body: str = None
    priority: Literal["low", "normal", "high"] = None
    tasks: list[Task] = None
    due_days: int = Field(default=None, ge=0)
    notify: bool = None


def make_call(_schema):
    validate = Note.model_validate_json

    def call(text):
        try:
            validate(text, strict=True)
            return text
        except ValidationError:
            pass
        try:
            return validate(text).model_dump_json(exclude_unset=True)
        except ValidationError:
            return None

    return call


stopwatch.run(pydantic.VERSION, make_call)

"""A language model behind OpenAI's chat completions (A10, A12, A16)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final

import openai
from openai.types.chat import ChatCompletion

from memory.language_models.base import (
    QUESTION_ROLES,
    InvalidReply,
    JsonSchema,
    ModelRefused,
    Parsed,
    Request,
    Role,
)
from memory.language_models.calling import Body, Caller, Sending
from memory.language_models.capabilities import HEADROOM, Capability, more_headroom
from memory.language_models.failures import NotAnApi
from memory.language_models.prices import Tokens, counted
from memory.language_models.replies import Reply, Structure, Unusable, spelled_out

ATTEMPTS: Final = 3
SEED: Final = 42
#: Seconds that one call may take: builds and judging as in A12, less in a question.
BUILD_LIMIT_S: Final = 120.0
QUESTION_LIMIT_S: Final = 40.0


def limits(
    *, build_s: float = BUILD_LIMIT_S, question_s: float = QUESTION_LIMIT_S
) -> Mapping[Role, float]:
    """Return each role's time limit in seconds."""
    return {role: question_s if role in QUESTION_ROLES else build_s for role in Role}


@dataclass(frozen=True, slots=True)
class OpenAIModel:
    """One model by name. See `LanguageModel`; safe to share by threads.

    `effort` is the reasoning effort that's asked for, "" for the model's own.
    Differs from A12 in what a further attempt says: after a cut reply it may use more
    tokens, and the schema is spelled out, as the same request brings the same reply.
    """

    caller: Caller
    limits_s: Mapping[Role, float] = field(default_factory=limits)
    effort: str = ""

    @property
    def name(self) -> str:
        """Return the model's name, and the effort that's asked of it where one is set.

        With another effort it replies differently: kept replies and what memories were
        made by tell them apart.
        """
        return "/".join(filter(None, [self.caller.model, self.effort]))

    def text(self, request: Request) -> str:
        """Return the reply's text; see `LanguageModel`.

        A reply that's cut short counts, an empty one doesn't (A10); only when reasoning
        took all its tokens is it asked for again, with more.
        """
        for attempt in range(1, ATTEMPTS + 1):
            reply = self._asked(request, None, attempt)
            if reply.text:
                self._record(request, reply, "ok")
                return reply.text
            again = attempt < ATTEMPTS and self._more_room(reply) is not None
            self._record(request, reply, "retried" if again else "failed")
            if not again:
                break
        raise InvalidReply(f"{self.caller.subject}: its reply is empty.")

    def json(
        self,
        request: Request,
        schema_name: str,
        schema: JsonSchema,
        parse: Callable[[Any], Parsed],
    ) -> Parsed:
        """Return `parse` of the reply's value; see `LanguageModel`."""
        structure = Structure(schema_name, schema)
        problem, cuts = "", 0
        for attempt in range(1, ATTEMPTS + 1):
            reply = self._asked(request, structure, attempt, cuts=cuts)
            outcome = "failed"
            try:
                parsed = parse(reply.value())
                outcome = "ok"
            except ValueError as error:
                # Only our own words: a failed validation may quote the reply.
                ours = isinstance(error, Unusable)
                problem = str(error) if ours else "it isn't as asked for"
                outcome = "retried" if attempt < ATTEMPTS else "failed"
            finally:
                self._record(request, reply, outcome)
            if outcome == "ok":
                return parsed
            if reply.is_cut:
                cuts += 1
                self._more_room(reply)
        raise InvalidReply(
            f"{self.caller.subject}: {ATTEMPTS} replies can't be used; of the last, "
            f"{problem}."
        )

    def _record(self, request: Request, reply: Reply, outcome: str) -> None:
        self.caller.record(request.role, reply.tokens, reply.milliseconds, outcome)

    def _notice_reasoning(self, reply: Reply) -> None:
        """Give a model that reasons room for it, before a reply is cut short."""
        if reply.tokens is None or not reply.tokens.reasoning:
            return
        capability = self.caller.capability
        if not capability.headroom:
            self.caller.keep(replace(capability, headroom=HEADROOM))

    def _more_room(self, reply: Reply) -> Capability | None:
        """Give a model that used its tokens up by reasoning more of them from now on."""
        reasoned = reply.tokens is not None and reply.tokens.reasoning > 0
        if not reply.is_cut or not reasoned:
            return None
        grown = more_headroom(self.caller.capability)
        if grown is not None:
            self.caller.keep(grown)
        return grown

    def _asked(
        self,
        request: Request,
        structure: Structure | None,
        attempt: int,
        *,
        cuts: int = 0,
    ) -> Reply:
        """Return one reply. Raises what `Caller.send` raises, and ModelRefused."""

        def body(capability: Capability) -> Body:
            made = _body(self.caller.model, request)
            _limit(made, capability, request.max_tokens * (1 + cuts))
            if structure is not None:
                _ask_for(made, structure, capability, spell_out=attempt > 1)
            return made | self._optional(capability, attempt)

        sending = Sending(request.role, self.limits_s[request.role], body, _completion)
        completion, spent_ms = self.caller.send(sending)
        reply = self._reply(completion, spent_ms)
        self._notice_reasoning(reply)
        if reply.is_refused:
            self._record(request, reply, "failed")
            raise ModelRefused(
                f"{self.caller.subject}: it or its content filter declined to reply."
            )
        return reply

    def _optional(self, capability: Capability, attempt: int) -> dict[str, Any]:
        """Return what's asked for where the model takes it."""
        wanted: dict[str, Any] = {"temperature": 0, "seed": SEED + attempt - 1}
        if self.effort:
            wanted["reasoning_effort"] = self.effort
        return {k: v for k, v in wanted.items() if k not in capability.without}

    def _reply(self, completion: ChatCompletion, spent_ms: float) -> Reply:
        tokens = _tokens(completion)
        # The client takes whatever an endpoint sends for what it should be.
        choices: Any = completion.choices
        choice = choices[0] if isinstance(choices, list) and choices else None
        message = getattr(choice, "message", None)
        if choice is None or message is None:
            return Reply("", "", tokens, spent_ms)
        content = getattr(message, "content", None)
        return Reply(
            content=content if isinstance(content, str) else "",
            finish=getattr(choice, "finish_reason", None) or "",
            tokens=tokens,
            milliseconds=spent_ms,
            refusal=bool(getattr(message, "refusal", None)),
        )


def _completion(client: openai.OpenAI, body: Body) -> ChatCompletion:
    """Post a request. Raises NotAnApi where what answers speaks another language."""
    made: Any = client.chat.completions.create(**body)
    if not isinstance(made, ChatCompletion):
        raise NotAnApi
    return made


def _body(model: str, request: Request) -> dict[str, Any]:
    return {
        "model": model,
        "messages": [
            {"role": "system", "content": request.system},
            {"role": "user", "content": request.user},
        ],
    }


def _limit(body: dict[str, Any], capability: Capability, tokens: int) -> None:
    if capability.tokens:
        body[capability.tokens] = tokens + capability.headroom


def _ask_for(
    body: dict[str, Any],
    structure: Structure,
    capability: Capability,
    *,
    spell_out: bool,
) -> None:
    """Ask for a structured reply in the strictest form that the model takes."""
    if capability.format == "json_schema":
        body["response_format"] = {
            "type": "json_schema",
            "json_schema": {
                "name": structure.name,
                "schema": structure.schema,
                "strict": True,
            },
        }
    elif capability.format == "json_object":
        body["response_format"] = {"type": "json_object"}
    if spell_out or capability.format != "json_schema":
        body["messages"][0]["content"] += spelled_out(structure)


def _tokens(completion: ChatCompletion) -> Tokens | None:
    """Return the reported usage, None where there's none that makes sense."""
    usage = completion.usage
    prompt = counted(getattr(usage, "prompt_tokens", None))
    made = counted(getattr(usage, "completion_tokens", None))
    if usage is None or prompt is None or made is None:
        return None
    read, wrote = usage.prompt_tokens_details, usage.completion_tokens_details
    return Tokens(
        prompt=prompt,
        completion=made,
        cached=counted(getattr(read, "cached_tokens", None)) or 0,
        written=counted(getattr(read, "cache_write_tokens", None)) or 0,
        reasoning=counted(getattr(wrote, "reasoning_tokens", None)) or 0,
    )

"""Server settings from the environment, as one typed class.

Each is read from the environment variable with the prefix ``OBSERVATORY_`` and the field's name in capitals
(``OBSERVATORY_MAX_TOKENS=2048``). Lists are separated by commas. Limits named in errors are among these.
"""

import os
import re
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field, ValidationError, field_validator
from pydantic_settings import BaseSettings, NoDecode, SettingsConfigDict

FRAME_SOURCE = re.compile(
    r"'self'|'none'|\*|[A-Za-z][A-Za-z0-9+.-]*:|(https?://)?(\*\.)?[A-Za-z0-9.-]+(:(\d+|\*))?(/\S*)?"
)
"""One source of ``frame-ancestors`` (CSP level 3, §6.4.2): a keyword, a scheme or a host."""


class Settings(BaseSettings):
    """The operator's settings. Immutable: changing one means a new application."""

    model_config = SettingsConfigDict(env_prefix="OBSERVATORY_", frozen=True, extra="forbid")

    models_dir: Path | None = Field(None, description="A folder of model folders in transformers' format.")
    corpora_dir: Path | None = Field(None, description="A folder of corpora to be scanned: each file is one.")
    atlases_dir: Path | None = Field(
        None, description="The folder of atlases and of uploaded corpora; the user's cache folder unless given."
    )
    device: str | None = Field(None, pattern=r"^(cpu|mps|cuda(:\d+)?)$", description="cpu, mps, cuda or cuda:N.")
    dtype: Literal["float32", "float16", "bfloat16"] | None = Field(None, description="Data type of the weights.")
    hub_models: Annotated[tuple[str, ...], NoDecode] = Field(
        ("google-bert/bert-base-uncased", "openai-community/gpt2", "distilbert/distilgpt2"),
        description="Ids that may be fetched from the Hugging Face Hub or its cache.",
    )
    allow_any_hub_model: bool = Field(False, description="Whether any id on the Hub may be searched for and loaded.")
    hub_token: bool = Field(
        False,
        description="Whether requests to the Hub carry this machine's token (`HF_TOKEN`, `hf auth login`): visitors "
        "then have what its owner may load, private models too.",
    )
    hub_cache: bool = Field(True, description="Whether every model in the local cache of the Hub is listed.")
    preload: bool = Field(
        True, description="Whether the model that pages open with is loaded at start-up, in the background."
    )
    prepare_atlases: bool = Field(
        True,
        description="Whether the built-in models' atlases and head roles are computed in the background at start-up.",
    )
    bundled: bool = Field(True, description="One script and one style sheet a page; false: the sources as they are.")
    access_log: bool = Field(
        False, description="Whether each request is a line of JSON on the standard output, without any text of users."
    )
    frame_ancestors: str = Field("'self'", description="Who may embed the pages: CSP sources separated by spaces.")
    root_path: str = Field("", description="Path under which a proxy offers the application, such as /observatory.")
    allowed_hosts: Annotated[tuple[str, ...], NoDecode] = Field(
        (),
        description="Names of hosts that requests may name, such as a.example.org, *.example.org, or * for any. "
        "Unless given: on a loopback address the loopback's alone, else any.",
    )

    max_characters: int = Field(200_000, ge=1, le=10_000_000, description="Characters of one text.")
    max_tokens: int = Field(
        32_768, ge=1, le=131_072, description="Tokens of one analysis, below the model's own limit."
    )
    max_prompts: int = Field(200, ge=1, le=10_000, description="Prompts of one set.")
    max_set_tokens: int = Field(32_768, ge=1, le=2**24, description="Tokens of all prompts of a set together.")
    max_window_cells: int = Field(2**20, ge=1, le=2**26, description="Cells of one window of one head.")
    max_export_cells: int = Field(2**26, ge=1, le=2**32, description="Cells of an exported CSV or NPZ file.")
    max_offline_cells: int = Field(
        2_400_000, ge=0, le=2**26, description="Cells up to which an HTML file holds all heads; else one head."
    )
    max_concept_tokens: int = Field(4_096, ge=1, le=16_384, description="Tokens or keys in a request about a concept.")
    max_concept_cells: int = Field(2**22, ge=1, le=2**26, description="Cells of any matrix in a concept's answer.")
    max_concept_bytes: int = Field(2**20, ge=1_024, le=2**26, description="Bytes of a request about a concept.")
    max_answer_bytes: int = Field(2**26, ge=2**16, le=2**32, description="Bytes of one answer; more are refused.")
    max_answers_bytes: int = Field(
        2**28,
        ge=2**16,
        le=2**40,
        description="Bytes of all answers that clients have yet to read; one client's: half.",
    )
    max_body_bytes: int = Field(8 * 2**20, ge=1_024, le=2**30, description="Bytes of any other request's body.")
    max_upload_bytes: int = Field(64 * 2**20, ge=1_024, le=2**32, description="Bytes of one upload of tensors.")

    max_sound_seconds: float = Field(30, gt=0, le=600, description="Length of an uploaded sound.")
    max_image_pixels: int = Field(2**24, ge=1, le=2**26, description="Pixels of an uploaded image.")

    workers: int = Field(2, ge=1, le=64, description="Analyses computed at the same time.")
    batch: int = Field(
        8,
        ge=1,
        le=256,
        description="Waiting texts of one length that share a pass through the model; 1 runs each alone.",
    )
    answers_at_once: int = Field(
        4,
        ge=2,
        le=256,
        description="Answers worked out at the same time beside analyses, such as concepts, pages and files; of one "
        "client half of them.",
    )
    queue_size: int = Field(64, ge=0, le=10_000, description="Analyses waiting for a worker; more are refused.")
    client_queue_size: int | None = Field(
        None, ge=1, le=10_000, description="How much of the queue one client may hold; by default three quarters."
    )
    trusted_proxies: Annotated[tuple[str, ...], NoDecode] = Field(
        (),
        description="Addresses or networks of proxies whose X-Forwarded-For is trusted; * where they are not known and "
        "every request comes through them.",
    )
    proxy_hops: int = Field(
        1, ge=1, le=16, description="With *: how many proxies there are; so far from the right stands the client."
    )
    cache_bytes: int = Field(2 * 2**30, ge=0, description="Bytes of cached analyses.")
    request_cache_bytes: int = Field(
        64 * 2**20,
        ge=0,
        description="Bytes of kept requests, by which an analysis that had to leave is computed again.",
    )
    shared_dir: str | None = Field(
        None,
        description="Where several processes keep requests and uploads for each other: a folder, or an address that "
        "fsspec knows (`s3://bucket/folder`). Texts are stored there as they are.",
    )
    shared_days: float = Field(7.0, gt=0, le=3_650, description="Days until what is kept there expires, since its use.")
    max_shared_bytes: int = Field(
        4 * 2**30, ge=2**20, description="Bytes of all that is kept there; the oldest leave first."
    )
    study_cache_bytes: int = Field(128 * 2**20, ge=0, description="Bytes of cached rollouts and other studies.")
    max_model_bytes: int = Field(4 * 2**30, ge=2**20, description="Bytes of all loaded models together.")
    max_hub_cache_bytes: int = Field(
        64 * 2**30,
        ge=2**20,
        description="Bytes of models fetched from the Hub by the server; the oldest of them leave.",
    )
    header_timeout_s: float = Field(
        10.0, gt=0, le=3_600, description="Seconds within which the headers of a request must arrive."
    )
    client_connections: int | None = Field(
        None,
        ge=1,
        le=65_536,
        description="Connections that one client may have open; by default half of what the process may.",
    )
    body_timeout_s: float = Field(
        20.0, gt=0, le=3_600, description="Seconds within which a body must arrive, plus 1 for every 32 KiB."
    )
    analysis_timeout_s: float = Field(300.0, gt=0, le=3_600, description="Seconds a request waits for its analysis.")
    load_timeout_s: float = Field(
        3_600.0, gt=0, le=86_400, description="Seconds for loading a model in the background."
    )

    training_runs: int = Field(4, ge=0, le=64, description="Concurrent training runs, each a process; 0: none.")
    training_kept_runs: int = Field(16, ge=1, le=1_000, description="Training runs kept, ended ones included.")
    training_history_bytes: int = Field(
        16 * 2**20, ge=2**20, le=2**30, description="Bytes of one run's recorded history."
    )
    training_time_s: float = Field(300.0, gt=0, le=3_600, description="Seconds of a training run, pauses included.")
    training_idle_s: float = Field(
        20.0, gt=0, le=3_600, description="Seconds until a run that nobody watches is stopped."
    )

    scans: int = Field(1, ge=0, le=16, description="Concurrent scans of corpora, each a process; 0: none.")
    scan_threads: int = Field(1, ge=1, le=64, description="Threads of one scan.")
    scan_time_s: float = Field(3_600.0, gt=0, le=604_800, description="Seconds of a scan; it can be resumed.")
    max_scan_tokens: int = Field(2_000_000, ge=1, le=10**10, description="Tokens of one scan.")
    max_corpus_bytes: int = Field(64 * 2**20, ge=1_024, le=2**40, description="Bytes of one corpus.")
    max_corpus_documents: int = Field(200_000, ge=1, le=10**9, description="Documents of one corpus.")
    max_corpus_characters: int = Field(200_000_000, ge=1, le=2**40, description="Characters of one corpus.")
    max_corpus_memory_bytes: int = Field(
        2**30,
        ge=2**26,
        le=2**40,
        description="Memory that reading one corpus may take, in a process of its own (Linux).",
    )
    max_document_characters: int = Field(
        1_000_000, ge=1, le=2**30, description="Characters of one document; a longer paragraph is cut."
    )
    allow_deletion: bool = Field(
        True,
        description="Whether uploaded corpora and their atlases may be deleted: by who made them, nobody's by anyone.",
    )
    kept_corpora: int = Field(
        16, ge=1, le=10_000, description="Uploaded corpora kept; of the client with most, those used least leave."
    )
    max_atlases_bytes: int = Field(
        4 * 2**30,
        ge=2**20,
        description="Bytes of all atlases; those of uploaded corpora leave, the oldest of the client with most first.",
    )

    @property
    def atlases_folder(self) -> Path:
        """Where atlases are, whether given or not."""
        if self.atlases_dir is not None:
            return self.atlases_dir
        cache = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
        return Path(cache) / "attention-observatory" / "atlases"

    @property
    def networks_folder(self) -> Path | None:
        """Where networks of training runs are models for several processes; None without a folder that they share."""
        if self.shared_dir is None or "://" in self.shared_dir:
            return None
        return Path(self.shared_dir) / "networks"

    @property
    def client_share(self) -> int:
        """One client's share of the queue; a lecture hall behind one address counts as one client."""
        return max(1, self.queue_size * 3 // 4) if self.client_queue_size is None else self.client_queue_size

    @field_validator("hub_models", "trusted_proxies", "allowed_hosts", mode="before")
    @classmethod
    def _split(cls, value: object) -> object:
        return split_names(value) if isinstance(value, str) else value

    @field_validator("root_path")
    @classmethod
    def _path(cls, value: str) -> str:
        path = value.rstrip("/")
        if not re.fullmatch(r"(/[A-Za-z0-9._~@!$&+,=:-]+)*", path):
            raise ValueError("root_path must be a path that begins with a slash, such as /observatory")
        return path

    @field_validator("allowed_hosts")
    @classmethod
    def _hosts(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        for host in value:
            if not re.fullmatch(r"\*|(\*\.)?[A-Za-z0-9.-]+|\[?[0-9A-Fa-f:]+\]?", host):
                raise ValueError(
                    f"allowed_hosts must be names of hosts without ports, such as *.example.org, not {host!r}"
                )
        return value

    @field_validator("frame_ancestors")
    @classmethod
    def _frame_sources(cls, value: str) -> str:
        sources = value.split()
        if not sources or not all(FRAME_SOURCE.fullmatch(source) and ";" not in source for source in sources):
            raise ValueError(
                "frame_ancestors must be CSP sources separated by spaces, such as 'self' https://example.org"
            )
        return " ".join(sources)


def split_names(text: str) -> tuple[str, ...]:
    """What is separated by commas."""
    return tuple(part.strip() for part in text.split(",") if part.strip())


def wrong_settings(error: ValueError) -> str:
    """The settings that cannot be used, by their names in the environment, in one sentence."""
    if not isinstance(error, ValidationError):
        return str(error)
    problems = (f"OBSERVATORY_{str(e['loc'][0]).upper()}: {e['msg']}" for e in error.errors() if e["loc"])
    return "; ".join(problems) or str(error)

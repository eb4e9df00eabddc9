"""The runtime of one process: parts are made once, whichever thread asks first."""

import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from connectors.models import Source
from memory import runtime as runtime_module
from memory.answering import ExtractiveAnswerer
from memory.distillation.local import LocalExtractor
from memory.language_models.endpoint import Endpoint
from memory.query.cross_encoder import CrossEncoderReranker
from memory.query.reranking import LocalReranker
from memory.query.transform import LocalTransform
from memory.runtime import Runtime
from memory.systems import UnknownStage
from tests.memory.answering_examples import WordEmbedder
from tests.memory.scripted import ScriptedModel

#: A pipeline reads the stored policy.
pytestmark = pytest.mark.django_db

WAIT_S = 10.0


def test_threads_that_need_each_others_parts_do_not_wait_for_ever(
    monkeypatch, settings, tmp_path
):
    settings.ATTEST_HOME = settings.ATTEST_CACHE = tmp_path
    runtime = Runtime()
    building, opening = threading.Event(), threading.Event()

    def chunker():
        # The builder is being made, and the other thread has begun with the store.
        building.set()
        opening.wait(WAIT_S)

    class Place:
        def __init__(self, *_args):
            pass

        def open(self):
            return object()

    monkeypatch.setattr(runtime_module, "default_chunker", chunker)
    monkeypatch.setattr(runtime_module, "EmbeddedPlace", Place)

    def ask():
        building.wait(WAIT_S)
        threading.Timer(0.2, opening.set).start()
        stores.append(runtime.store)

    stores: list = []
    threads = [
        threading.Thread(target=lambda: stores.append(runtime.builder.store)),
        threading.Thread(target=ask),
    ]
    for thread in threads:
        thread.daemon = True
        thread.start()
    for thread in threads:
        thread.join(WAIT_S)

    assert not any(thread.is_alive() for thread in threads)
    assert len(stores) == 2
    assert stores[0] is stores[1]


def test_the_process_has_one_runtime():
    assert runtime_module.runtime() is runtime_module.runtime()


class Listening(WordEmbedder):
    """An encoder that keeps what it was asked."""

    def __init__(self):
        super().__init__()
        self.asked = []

    def embed_queries(self, texts):
        self.asked.append(list(texts))
        return super().embed_queries(texts)


@pytest.fixture
def fresh(settings, tmp_path):
    """Return a runtime of nothing but settings; no encoder is loaded."""
    settings.ATTEST_HOME = settings.ATTEST_CACHE = tmp_path
    runtime = Runtime()
    runtime.use_encoder(Listening())
    return runtime


def test_without_a_model_everything_is_as_it_was(fresh):
    pipeline = fresh.pipeline()
    assert fresh.models is None
    assert fresh.reranker is None
    assert isinstance(fresh.extractor, LocalExtractor)
    assert isinstance(pipeline.answerer, ExtractiveAnswerer)
    assert isinstance(pipeline.transform, LocalTransform)
    assert pipeline.staying is None
    assert pipeline.verdict is None


@pytest.mark.parametrize("name", ["mini", "full"])
def test_a_models_extractor_needs_a_model(fresh, settings, name):
    settings.ATTEST_EXTRACTOR = name
    with pytest.raises(UnknownStage, match="needs a language model"):
        _ = fresh.extractor
    fresh.use_models(lambda _role: ScriptedModel({}))
    assert fresh.extractor.version.startswith(f"{name}/")
    assert fresh.builder.extractor is fresh.extractor


@pytest.mark.django_db
def test_marked_sources_stay_as_soon_as_they_are_marked(fresh):
    fresh.use_models(lambda _role: ScriptedModel({}))
    staying = fresh.pipeline().staying
    assert staying.sources() == frozenset()
    source = Source.objects.create(kind="files", name="HR", local_models_only=True)
    assert staying.sources() == {source.id}
    assert isinstance(staying.answerer, ExtractiveAnswerer)


@pytest.mark.parametrize(
    ("setting", "kind"), [("local", LocalReranker), ("x/y", CrossEncoderReranker)]
)
def test_a_reranker_that_is_named_is_on(fresh, settings, setting, kind, monkeypatch):
    monkeypatch.setattr(CrossEncoderReranker, "load", lambda self: None)
    settings.ATTEST_RERANKER = setting
    assert isinstance(fresh.pipeline().reranker, kind)
    assert isinstance(fresh.pipeline(name="megamem_paper").reranker, kind)
    assert fresh.pipeline(name="megamem-no_reranker").reranker is None


def test_threads_that_start_together_share_one_runtime(monkeypatch):
    made = []

    class Slow(runtime_module.Runtime):
        def __init__(self):
            made.append(self)
            time.sleep(0.05)
            super().__init__()

    monkeypatch.setattr(runtime_module, "Runtime", Slow)
    runtime_module.made_runtime.cache_clear()
    with ThreadPoolExecutor(4) as pool:
        found = set(pool.map(lambda _n: runtime_module.runtime(), range(4)))
    runtime_module.made_runtime.cache_clear()
    assert found == set(made)
    assert len(made) == 1


@pytest.mark.django_db
def test_models_on_this_machine_may_read_everything(fresh, settings):
    Source.objects.create(kind="files", name="HR", local_models_only=True)
    fresh.use_models(lambda _role: ScriptedModel({}))
    settings.ATTEST_OPENAI = Endpoint("http://127.0.0.1:11434/v1")
    assert fresh.pipeline().staying.sources() == frozenset()


def test_models_are_loaded_before_a_question_and_once(fresh):
    fresh.pipeline()
    fresh.pipeline(name="megamem_paper")
    assert fresh.encoder.asked == [["warm"]]

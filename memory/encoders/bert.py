"""A BERT sentence encoder in plain torch: token ids in, unit vectors out.

It computes what sentence-transformers computes for a mean-pooled BERT (Devlin et al.,
2019; Reimers and Gurevych, 2019), and a test holds the two together. It's here because
importing that library takes 13 s and 290 MB more than torch alone on a small machine,
and every `ask` would pay it. Only this module of the package imports torch.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from safetensors.torch import load_file
from torch import Tensor
from torch.nn import functional

from memory.documents import FloatArray


@dataclass(frozen=True, slots=True)
class Affine:
    """Weight and bias of a linear map or a layer norm."""

    weight: Tensor
    bias: Tensor

    def project(self, x: Tensor) -> Tensor:
        """Return x·Wᵀ + b."""
        return functional.linear(x, self.weight, self.bias)

    def normalise(self, x: Tensor, eps: float) -> Tensor:
        """Return the layer norm of x over its last dimension."""
        return functional.layer_norm(x, self.bias.shape, self.weight, self.bias, eps)


@dataclass(frozen=True, slots=True)
class Layer:
    """One transformer layer; query, key and value are one matrix."""

    attention: Affine
    attention_out: Affine
    attention_norm: Affine
    up: Affine
    down: Affine
    norm: Affine


class BertEncoder:
    """The model of one folder, in one precision.

    Raises OSError or KeyError where the folder isn't a BERT in safetensors.
    """

    def __init__(self, folder: Path, dtype: torch.dtype) -> None:
        """Load the weights of `folder` (config.json, model.safetensors)."""
        config = json.loads((folder / "config.json").read_text())
        self.dimensions: int = config["hidden_size"]
        self.max_tokens: int = config["max_position_embeddings"]
        self._heads: int = config["num_attention_heads"]
        self._eps: float = config["layer_norm_eps"]
        self._dtype = dtype
        weights = Weights(load_file(folder / "model.safetensors"), dtype)
        self._words = weights.of("embeddings.word_embeddings")
        #: All tokens are of type 0, so its vector is added to the positions' once.
        self._positions = (
            weights.of("embeddings.position_embeddings")
            + weights.of("embeddings.token_type_embeddings")[0]
        )
        self._norm = weights.affine("embeddings.LayerNorm")
        self._layers = [weights.layer(at) for at in range(config["num_hidden_layers"])]

    @torch.inference_mode()
    def encode(self, texts: Sequence[Sequence[int]]) -> FloatArray:
        """Return unit vectors, shape (n, d), of n ≥ 1 texts given as token ids.

        Texts are padded to the longest; padding has no effect on a result.
        """
        lengths = torch.tensor([len(ids) for ids in texts])
        ids = torch.zeros(len(texts), int(lengths.max()), dtype=torch.long)
        for row, text in enumerate(texts):
            ids[row, : len(text)] = torch.tensor(text)
        is_text = torch.arange(ids.shape[1])[None, :] < lengths[:, None]
        hidden = self._forward(ids, None if bool(is_text.all()) else is_text)
        # Pooled in float32: a sum of hundreds of bf16 values loses digits.
        summed = torch.einsum("ntd,nt->nd", hidden.float(), is_text.float())
        vectors = functional.normalize(summed / lengths[:, None], dim=1)
        array: FloatArray = vectors.numpy().astype(np.float32, copy=False)
        return array

    def _forward(self, ids: Tensor, is_text: Tensor | None) -> Tensor:
        """Return the last hidden states, shape (n, t, d)."""
        n, t = ids.shape
        x = self._norm.normalise(self._words[ids] + self._positions[:t], self._eps)
        mask = None if is_text is None else self._mask(is_text)
        for layer in self._layers:
            parts = layer.attention.project(x).view(n, t, 3, self._heads, -1)
            query, key, value = parts.permute(2, 0, 3, 1, 4)
            mixed = functional.scaled_dot_product_attention(
                query, key, value, attn_mask=mask
            )
            mixed = mixed.transpose(1, 2).reshape(n, t, -1)
            x = layer.attention_norm.normalise(
                layer.attention_out.project(mixed) + x, self._eps
            )
            widened = functional.gelu(layer.up.project(x))
            x = layer.norm.normalise(layer.down.project(widened) + x, self._eps)
        return x

    def _mask(self, is_text: Tensor) -> Tensor:
        """Return what is added to attention scores: 0 for text, -inf for padding."""
        n, t = is_text.shape
        mask = torch.zeros(n, 1, 1, t, dtype=self._dtype)
        mask.masked_fill_(~is_text[:, None, None, :], float("-inf"))
        return mask.expand(n, 1, t, t)


class Weights:
    """A state dict by name, with or without the prefix `bert.`, in one precision."""

    def __init__(self, tensors: dict[str, Tensor], dtype: torch.dtype) -> None:
        """Wrap `tensors`; each is converted when it's asked for."""
        self._tensors = {
            name.removeprefix("bert."): tensor for name, tensor in tensors.items()
        }
        self._dtype = dtype

    def of(self, name: str, part: str = "weight") -> Tensor:
        """Return a tensor by its module's name."""
        return self._tensors[f"{name}.{part}"].to(self._dtype)

    def affine(self, *names: str) -> Affine:
        """Return weight and bias of a module, or of several stacked."""
        return Affine(
            torch.cat([self.of(name) for name in names]),
            torch.cat([self.of(name, "bias") for name in names]),
        )

    def layer(self, at: int) -> Layer:
        """Return the transformer layer at position `at`."""
        root = f"encoder.layer.{at}"
        heads = f"{root}.attention.self"
        return Layer(
            self.affine(f"{heads}.query", f"{heads}.key", f"{heads}.value"),
            self.affine(f"{root}.attention.output.dense"),
            self.affine(f"{root}.attention.output.LayerNorm"),
            self.affine(f"{root}.intermediate.dense"),
            self.affine(f"{root}.output.dense"),
            self.affine(f"{root}.output.LayerNorm"),
        )

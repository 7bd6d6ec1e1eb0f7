# SPDX-License-Identifier: Apache-2.0
"""Variables that are distributions: `tf.get_variable` returns a sample, whose parameters are trained."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from tensorwright.contrib.bayesflow.python.ops import (
    stochastic_tensor as st,
    variational_inference as vi,
)
from tensorwright.python.framework import dtypes, tensor_shape
from tensorwright.python.framework.type_aliases import (
    DTypeLike,
    InitializerLike,
    ShapeLike,
)

if TYPE_CHECKING:
    from tensorwright.python.ops.distributions.distribution import Distribution


__all__ = ["get_stochastic_variable", "make_stochastic_variable_getter"]


def get_stochastic_variable(
    getter: Callable[..., object],
    name: str,
    shape: ShapeLike | None = None,
    dist_cls: Any = None,
    dist_kwargs: Mapping[str, object] | None = None,
    param_initializers: dict[str, InitializerLike] | None = None,
    prior: Distribution | None = None,
    dtype: DTypeLike = dtypes.float32,
    **kwargs: object,
) -> st.StochasticTensor:
    """A custom getter: a StochasticTensor whose parameters are variables called `name`_`parameter`.

    Args:
        getter: makes variables.
        name, shape, dtype: for the variable.
        dist_cls: the class of the distribution; its `param_static_shapes` says which parameters it has.
        dist_kwargs: further arguments of it.
        param_initializers: by parameters; a constant, or an initializer.
        prior: a distribution, or a function of (shape, dtype), which is registered for `elbo`.
        kwargs: for `getter`.
    """
    kwargs.pop("initializer", None)
    initializers = param_initializers or {}
    shape = tensor_shape.as_shape(shape)
    parameters = {}
    for key, size in dist_cls.param_static_shapes(shape).items():
        start = initializers.get(key)
        # A constant that is no function has the shape.
        given = None if start is not None and not callable(start) else size
        parameters[key] = getter(
            f"{name}_{key}", shape=given, dtype=dtype, initializer=start, **kwargs
        )
    found = st.StochasticTensor(dist_cls(**parameters, **(dist_kwargs or {})))
    if prior is not None:
        made = prior(shape, dtype) if callable(prior) else prior
        vi.register_prior(found, made)
    return found


def make_stochastic_variable_getter(
    dist_cls: type[Distribution],
    dist_kwargs: Mapping[str, object] | None = None,
    param_initializers: dict[str, InitializerLike] | None = None,
    prior: Distribution | None = None,
) -> Callable[..., st.StochasticTensor]:
    """A custom getter for variable scopes; arguments as in `get_stochastic_variable`.

    Example:
        getter = make_stochastic_variable_getter(tf.distributions.Normal, prior=tf.distributions.Normal(0., 1.))
        with tf.variable_scope("net", custom_getter=getter):
            w = tf.get_variable("w", [10, 10])
    """
    return functools.partial(
        get_stochastic_variable,
        dist_cls=dist_cls,
        dist_kwargs=dist_kwargs,
        param_initializers=param_initializers,
        prior=prior,
    )

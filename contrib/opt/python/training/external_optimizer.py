# SPDX-License-Identifier: Apache-2.0
"""Optimizers outside of the graph, SciPy's for instance, which ask a session for losses and gradients."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from tensorwright.python.framework import ops
from tensorwright.python.ops import array_ops, gradients, variables
from tensorwright.python.platform import tf_logging as logging

if TYPE_CHECKING:
    from collections.abc import Mapping

    import numpy.typing as npt

    from tensorwright.python.client.session import SessionInterface
    from tensorwright.python.framework.type_aliases import FeedDict, GraphElement
    from tensorwright.python.ops._variables.variables_variable import Variable


__all__ = ["ExternalOptimizerInterface", "ScipyOptimizerInterface"]


class ExternalOptimizerInterface:
    """Gives subclasses all variables as one vector, and the loss and the constraints as functions of it.

    Args:
        loss: a scalar.
        var_list: the variables to change; None for all trainable variables.
        equalities: tensors that must become 0.
        inequalities: tensors that must not become negative.
        var_to_bounds: (lower, upper) for variables, numbers or arrays of their shape.
        **optimizer_kwargs: arguments for the optimizer.
    """

    def __init__(
        self,
        loss: ops.Tensor,
        var_list: Sequence[Any] | None = None,
        equalities: Sequence[ops.Tensor] | None = None,
        inequalities: Sequence[ops.Tensor] | None = None,
        var_to_bounds: Mapping[Variable, tuple[npt.ArrayLike, npt.ArrayLike]]
        | None = None,
        **optimizer_kwargs: Any,
    ):
        self._loss = loss
        self._equalities = list(equalities or ())
        self._inequalities = list(inequalities or ())
        self._vars = list(variables.trainable_variables() if var_list is None else var_list)  # fmt: skip
        self._bounds = self._packed_bounds(var_to_bounds)
        self.optimizer_kwargs = optimizer_kwargs
        self._updates = [
            array_ops.placeholder(v.dtype.base_dtype, v.get_shape()) for v in self._vars
        ]
        self._assigns = [
            v.assign(new) for v, new in zip(self._vars, self._updates, strict=True)
        ]
        self._gradient = self._packed_gradient(loss)
        self._equality_gradients = [self._packed_gradient(e) for e in self._equalities]
        self._inequality_gradients = [
            self._packed_gradient(e) for e in self._inequalities
        ]
        sizes = [v.get_shape().num_elements() for v in self._vars]
        ends = np.cumsum([0, *sizes])
        self._slices = [slice(a, b) for a, b in zip(ends[:-1], ends[1:], strict=True)]

    def _packed_bounds(self, bounds: Any) -> list[tuple[float, float]] | None:
        if bounds is None:
            return None
        by_id = {id(v): b for v, b in bounds.items()}
        packed: list[tuple[float, float]] = []
        for v in self._vars:
            lower, upper = by_id.get(id(v), (-np.inf, np.inf))
            shape = v.get_shape().as_list()
            low, high = (np.broadcast_to(b, shape).ravel() for b in (lower, upper))
            packed += list(zip(low.tolist(), high.tolist(), strict=True))
        return packed

    def _packed_gradient(self, value: ops.Tensor) -> ops.Tensor:
        """The gradients of all variables as one vector, zeros of those that have none."""
        found = gradients.gradients(value, self._vars)
        parts = [
            array_ops.zeros([v.get_shape().num_elements()], v.dtype.base_dtype)
            if g is None
            else array_ops.reshape(g, [-1])
            for g, v in zip(found, self._vars, strict=True)
        ]
        return parts[0] if len(parts) == 1 else array_ops.concat(parts, 0)

    def minimize(
        self,
        session: SessionInterface | None = None,
        feed_dict: FeedDict | None = None,
        fetches: Sequence[GraphElement] | None = None,
        step_callback: Callable[..., object] | None = None,
        loss_callback: Callable[..., object] | None = None,
        **run_kwargs: Any,
    ) -> None:
        """Changes the variables of a session to minimize the loss.

        Args:
            session: None: the default one.
            feed_dict: the feeds of each run.
            fetches: further tensors, whose values `loss_callback` gets.
            step_callback: called with the vector after each step.
            loss_callback: called with the loss and gradient, or with the values of `fetches`, after each evaluation.
            **run_kwargs: arguments of `Session.run`.
        """
        session = session or ops.get_default_session()
        if session is None:
            raise ValueError("minimize needs a session")
        fetches = list(fetches or ())
        loss_callback = loss_callback or (lambda *unused: None)

        def function(tensors: list[Any], callback: Any, extra: list[Any]) -> Any:
            def evaluate(x: np.ndarray) -> Any:
                self._assign(session, x)
                found = session.run([*tensors, *extra], feed_dict, **run_kwargs)
                if callback is not None:
                    callback(*found[len(tensors) :]) if extra else callback(*found)
                return found[: len(tensors)]

            return evaluate

        loss_grad = function([self._loss, self._gradient], loss_callback, fetches)
        start = np.concatenate([np.ravel(v) for v in session.run(self._vars)])
        final = self._minimize(
            initial_val=start,
            loss_grad_func=loss_grad,
            equality_funcs=[function([e], None, []) for e in self._equalities],
            equality_grad_funcs=[function([g], None, []) for g in self._equality_gradients],
            inequality_funcs=[function([e], None, []) for e in self._inequalities],
            inequality_grad_funcs=[function([g], None, []) for g in self._inequality_gradients],
            packed_bounds=self._bounds,
            step_callback=step_callback,
            optimizer_kwargs=self.optimizer_kwargs,
        )  # fmt: skip
        self._assign(session, np.asarray(final))

    def _assign(self, session: Any, x: np.ndarray) -> None:
        feeds = {
            new: x[part].reshape(v.get_shape().as_list())
            for new, part, v in zip(
                self._updates, self._slices, self._vars, strict=True
            )
        }
        session.run([a.op for a in self._assigns], feeds)

    def _minimize(self, **arguments: Any) -> np.ndarray:
        """The vector of the least loss; subclasses find it.

        The arguments are those that `minimize` makes: the vector to begin with, and functions of vectors that give
        lists of values or gradients.
        """
        raise NotImplementedError(f"{type(self).__name__} does not say how to optimize")


class ScipyOptimizerInterface(ExternalOptimizerInterface):
    """`scipy.optimize.minimize`, L-BFGS-B by default; SLSQP where there are constraints.

        optimizer = ScipyOptimizerInterface(loss, options={"maxiter": 100})
        with tf.Session() as session:
            optimizer.minimize(session)

    `method` and further keywords are SciPy's, which must be installed.
    """

    _DEFAULT_METHOD = "L-BFGS-B"

    def _minimize(self, **arguments: Any) -> np.ndarray:
        import scipy.optimize

        def as_float(values: Any) -> Any:
            return [np.asarray(v, np.float64) for v in values]

        def loss_grad(x: np.ndarray) -> tuple[float, np.ndarray]:
            loss, gradient = as_float(arguments["loss_grad_func"](x))
            return float(loss), gradient

        constraints = []
        for kind in ("equality", "inequality"):
            functions = zip(
                arguments[f"{kind}_funcs"], arguments[f"{kind}_grad_funcs"], strict=True
            )
            for value, gradient in functions:
                constraints.append(
                    {
                        "type": "eq" if kind == "equality" else "ineq",
                        "fun": lambda x, f=value: as_float(f(x))[0],
                        "jac": lambda x, f=gradient: as_float(f(x))[0],
                    }
                )
        options = dict(arguments["optimizer_kwargs"])
        method = options.pop("method", self._DEFAULT_METHOD)
        if constraints and method == self._DEFAULT_METHOD:
            method = "SLSQP"
        found = scipy.optimize.minimize(
            loss_grad,
            np.asarray(arguments["initial_val"], np.float64),
            jac=True,
            method=method,
            bounds=arguments["packed_bounds"],
            constraints=constraints or (),
            callback=arguments["step_callback"],
            **options,
        )
        logging.info(
            "Optimization terminated with: %s, loss %s", found.message, found.fun
        )
        return found.x

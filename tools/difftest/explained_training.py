# SPDX-License-Identifier: Apache-2.0
"""Differences from TensorFlow that are meant, of variables, control flow, optimizers, and the training of embeddings."""

import re

import numpy as np

from tensorwright.tools.difftest import compare
from tensorwright.tools.difftest.examples import but, call, on, seen
from tensorwright.tools.difftest.expected_updates import updated
from tensorwright.tools.difftest.explanation import ours_is
from tensorwright.tools.difftest.records import death, refusal, value


def _both(*names):
    """The ops of these names, on references and on resources."""
    return " ".join(f"{r}{name}" for name in names for r in ("", "Resource"))


def _same_but_for_the_number(d):
    """Names that differ in the number behind them alone."""
    a, b = ([re.split(rb"_\d+$", x) for x in side] for side in (d.a, d.b))
    return a == b and all(len(parts) == 2 for parts in a)


def _out_of_range(d):
    """Hyperparameters of FTRL: NaNs are out of any range."""
    last = 8 if d.op.endswith("V2") else 7
    lr, l1, l2, power = (float(d.input(i)) for i in (4, 5, 6, last))
    positive = lr >= 0 if d.attrs["multiply_linear_by_lr"] else lr > 0
    return not (positive and l1 >= 0 and l2 >= 0 and power <= 0)


def _ftrl(lr=1.0, l1=0.0, by_lr=False, grad=1.0):
    """A step from 1, where the sum of squares is 1."""
    arrays = (np.float32([x]) for x in (1, 1, 0, grad))
    return on(*arrays, *np.float32([lr, l1, 0, -0.5]), multiply_linear_by_lr=by_lr)


def _averaged(step):
    """A step of dual averaging from 1, without a penalty."""
    arrays = (np.float32([x]) for x in (1, 0, 0, 1))
    return on(*arrays, *np.float32([1, 0, 0]), np.int64(step))


def _updates(ours):
    outputs = [np.float32([x]) for x in (ours, 0, 0)]
    return {"ours": [ours], "outputs": outputs}


def _from_its_variance(d):
    """Ours differs from TensorFlow's by what rounding makes of a difference that is 0."""
    epsilon, grad = float(np.abs(d.input(7))), np.abs(d.input(8)).astype(np.float64)
    rounding = 6e-7 if d.dtype in ("float32", "complex64") else 1e-14
    unit = rounding * float(np.square(grad).max(initial=0)) / epsilon
    ours, theirs = compare.widest(d.here), compare.widest(d.there)
    return np.abs(ours - theirs) <= unit * (1 + np.abs(theirs))


def _is_one_index(d):
    """The indices are a vector, and the updates the part of the variable that it leaves."""
    x = d.case.inputs
    if any(np.ndim(a) == 1 and np.ndim(b) == 0 for a, b in zip(x, x[1:])):
        return True
    if len(x) != 3 or d.op == "ScatterNd" or np.ndim(x[1]) != 1:
        return False
    return np.shape(x[2]) == np.shape(x[0])[np.size(x[1]) :]


def _ada_max(grad):
    return on(*[np.zeros([], np.float64)] * 8, np.float64(grad))


def _adagrad(epsilon):
    return on(*map(np.complex64, (1 + 1j, 1, 0.5, epsilon, 2j)))


def _centered(rho):
    return on(*map(np.float32, (0, 0, 9, 0, 0.1, rho, 0.1, 0.06, 8)))


_FLOATS = "float16 bfloat16 float32 float64"
_ROW, _CUBE = np.zeros([1, 5], np.float32), np.zeros([5, 5, 4], np.float32)
_FTRLS = _both("ApplyFtrl", "ApplyFtrlV2")
_SLICE = "UnimplementedError: StridedSliceAssign: value must have the slice's shape [<1,1,4>], got [<1,2,4>]; it is not broadcast"
_NOT_BROADCAST = "as in TensorFlow 1.x, the value is not broadcast"
_SCATTERS = "ResourceScatterNdAdd ResourceScatterNdSub ResourceScatterNdUpdate ResourceScatterNdMax ResourceScatterNdMin"
_SPARSE = _both(*(f"SparseApply{name}" for name in (
    "RMSProp", "Ftrl", "FtrlV2", "Adagrad", "Adadelta", "Momentum", "ProximalAdagrad", "ProximalGradientDescent",
)))  # fmt: skip

# fmt: off
TABLE = [
    value("Stack", "a stack's name carries the number of stacks that its process has made", "string", 0,
        _same_but_for_the_number, gives="another number", by_chance=True, true=[seen(None, [b"", b"op_142"], [b"", b"op_3"]),
            but(ours=[b"", b"_0"], theirs=[b"", b"_12"])],
        wrong=[but(theirs=[b"", b"po_3"]), but(ours=[b"", b"op"]), but(ours=[b"a", b"op_1"])]),
    refusal("Enter RefEnter", "an int attr has 64 bits",
        theirs=r"InvalidArgumentError: Attr parallel_iterations has value <-?\d{10,}~4294967296> out of range for an int32",
        when=lambda d: not -(1 << 31) <= d.attrs["parallel_iterations"] < 1 << 31,
        true=[on(parallel_iterations=1 << 32)], wrong=[on(parallel_iterations=10)]),
    death("Enter RefEnter", "TensorFlow allocates for as many iterations as are allowed",
        theirs="Died: SIG<ABRT|SEGV~ABRT>", when=lambda d: not 0 <= d.attrs["parallel_iterations"] <= 1 << 20,
        true=[on(parallel_iterations=(1 << 31) - 1), on(parallel_iterations=-2)], wrong=[on(parallel_iterations=10)]),
    refusal(_both("StridedSliceAssign"), _NOT_BROADCAST, ours=_SLICE,
        wrong=[but(ours=_SLICE.replace("Unimplemented", "InvalidArgument"))]),
    refusal(_both("StridedSliceAssign"), _NOT_BROADCAST, ours=_SLICE,
        theirs="InvalidArgumentError: Cannot broadcast input shape [<1,2,4>] into final shape [<1,1,4>]",
        wrong=[but(theirs="InvalidArgumentError: Shape must be rank 1 but is rank 0: begin has shape []")]),
    refusal(_FTRLS, "as in TensorFlow 1.x, hyperparameters out of range are refused; TensorFlow 2.21 does not look at them",
        ours="InvalidArgumentError: <lr is not a positive scalar|l[12] regularization strength is not a non-negative scalar|lr_power is not a non-positive scalar~lr is not a positive scalar>: ",
        when=_out_of_range, true=[_ftrl(-np.inf), _ftrl(0.0), _ftrl(l1=-1.0)],
        wrong=[_ftrl(), _ftrl(1e-30), _ftrl(0.0, by_lr=True)]),
    refusal("DestroyTemporaryVariable", "TensorFlow's Python cannot name the variable",
        ours="NotFoundError: Resource <.*~__per_step_1/x/TemporaryVar> does not exist",
        theirs="InvalidArgumentError: 'utf-8' codec can't decode byte",
        wrong=[but(theirs="InvalidArgumentError: attr var_name is missing")]),
    refusal("PyFunc PyFuncStateless", "TensorFlow calls a token that is no text a fault of its own",
        ours="InvalidArgumentError: ValueError: this process has no Python function '",
        theirs="InternalError: Failed to create python tuple. Please make sure `token` is a well-formed UTF-8 string.",
        wrong=[but(ours="UnknownError: ValueError: this process has no Python function 'x'")]),
    value(_both("ApplyAdaMax"), "TensorFlow's largest gradient so far passes over a NaN", _FLOATS, (0, 1, 2),
        where=lambda d: np.isnan(d.here) & np.isnan(d.input(8)), gives="NaN",
        true=[seen(_ada_max(np.nan), np.nan, 0.6, dtype="float64", output=2)], wrong=[_ada_max(1.0), but(ours=0.5)]),
    refusal(_SCATTERS, "an index of no depth is the whole variable",
        theirs="InvalidArgumentError: Indices and updates specified for empty output.",
        when=lambda d: np.shape(d.input(1))[-1:] == (0,), true=[on(_ROW, np.zeros([3, 3, 0], np.int32))],
        wrong=[on(_ROW, np.zeros([3, 3, 1], np.int32))]),
    refusal(f"ScatterNd ScatterNdAdd ScatterNdSub ScatterNdUpdate ScatterNdNonAliasingAdd {_SCATTERS} TensorScatterUpdate TensorScatterAdd TensorScatterSub TensorScatterMin TensorScatterMax",
        "one index, not in a row of indices, has one update without a row's dimension",
        theirs=["InvalidArgumentError: Dimensions [0,1) of indices[shape=[<2>]]",
            "InvalidArgumentError: Updates shape must have rank at least one",
            "InvalidArgumentError: Shape must be at least rank 1 but is rank 0 "],
        when=_is_one_index, true=[call("ResourceScatterNdAdd", _CUBE, [1, 2], _CUBE[0, 0]), on([5, 1], 2.0, [8, 2])],
        wrong=[on([[5, 1]], [2.0], [8, 2]), call("ResourceScatterNdAdd", _CUBE, [1, 2], _CUBE)]),
    refusal(_SPARSE, "TensorFlow compares as many dimensions of the gradient as the variable has",
        ours=r"InvalidArgumentError: <(Resource)?~>SparseApply<RMSProp>: <(the gradient must have shape \[[\d,]*\], a row for each of indices, got|(Dimension \d+ in both shapes must be equal|Shapes must be equal rank), but are .* of grad and shape)~the gradient must have shape [1,5], a row for each of indices, got>",
        when=lambda d: any(np.ndim(i) > np.ndim(d.input(0)) for i in d.case.inputs[1:]),
        true=[on(_ROW, _ROW[..., None])], wrong=[on(_ROW, _ROW)]),
    value(_both("ApplyCenteredRMSProp", "SparseApplyCenteredRMSProp"),
        "without memory the square's mean less the mean's square is 0, and only rounding is left",
        "float32 float64 complex64 complex128", (0, 1, 4), where=_from_its_variance, bound=0.1,
        when=lambda d: abs(d.input(5)) < 1e-30 and abs(d.input(7)) > 0,
        true=[seen(_centered(0.0), 1.0001, 1.0, output=4)], wrong=[_centered(0.5), but(ours=1.01)]),
    value(f"{_FTRLS} {_both('ApplyAdagradDA', 'SparseApplyAdagradDA', 'SparseApplyFtrl', 'SparseApplyFtrlV2')}",
        "the order of products decides what infinite state, gradients or rates leave", _FLOATS, (0, 1, 2, 3),
        ours_is(updated, slack=8), where=lambda d: ~(np.isfinite(d.here) & np.isfinite(d.there)),
        gives="in the order of the paper's formula",
        when=lambda d: not all(np.isfinite(np.asarray(i, np.float64)).all() for i in d.case.inputs),
        true=[seen(_ftrl(grad=np.inf), theirs=[np.nan], **_updates(0.0))],
        wrong=[but(theirs=[0.0], **_updates(np.nan)), but(theirs=[0.0], **_updates(np.inf)), but(**_updates(1.0)), _ftrl()]),
    value(_both("ApplyAdagradDA", "SparseApplyAdagradDA"), "before the first step nothing is averaged; TensorFlow divides by the step",
        _FLOATS, (0, 1), ours_is(updated, slack=8), where=lambda d: np.isnan(d.there), gives="in the order of the paper's formula",
        there="NaN", when=lambda d: d.case.inputs[-1] == 0,
        true=[seen(_averaged(0), theirs=[np.nan], output=0, **_updates(-1.0))],
        wrong=[_averaged(1), but(**_updates(-2.0)), but(**_updates(0.0))]),
    value(_both("ApplyAdagradV2", "SparseApplyAdagradV2"),
        "a quotient by an infinite denominator is 0, and leaves the variable; TensorFlow's complex quotient is NaN",
        "complex64 complex128", 0, ours_is(lambda d: d.input(0)), where=lambda d: np.isnan(d.there),
        gives="the variable as it was", when=lambda d: bool(np.isinf(d.input(3))),
        true=[seen(_adagrad(-np.inf), 1 + 1j, complex(np.nan, np.nan), dtype="complex64", output=0)],
        wrong=[_adagrad(0.1), but(ours=2 + 2j), but(ours=0j)]),
    refusal("SdcaOptimizer", "TensorFlow leaves out what does not fit, or reads what is not there",
        ours=[r"InvalidArgumentError: SdcaOptimizer: <sparse_indices and sparse_weights|columns of dense_features and weights|sparse_feature_indices and sparse_feature_values~sparse_indices and sparse_weights> must be as many, got <6> and <7>",
            "InvalidArgumentError: SdcaOptimizer: sparse_example_indices <has|must not decrease~has>",
            "InvalidArgumentError: SdcaOptimizer: Dimensions must be equal, but are <6> and <7>"],
        when=lambda d: bool(d.words), true=[seen(words="input 7[0]: shape [7]")],
        wrong=[but(words=""), but(ours="InvalidArgumentError: SdcaOptimizer: example 0 has feature 3 twice")]),
    refusal("NegTrain", "there is no negative number of samples; TensorFlow takes it for 0",
        ours="InvalidArgumentError: NegTrain: num_negative_samples must be in [0, <1048576>], got -<2>",
        when=lambda d: d.attrs["num_negative_samples"] < 0, true=[on(num_negative_samples=-2)],
        wrong=[on(num_negative_samples=2),
            but(ours="InvalidArgumentError: NegTrain: vocab_count must not be negative")]),
    refusal("Skipgram", "a window has words; TensorFlow finds none in one of a size below 1",
        ours="InvalidArgumentError: Skipgram: window_size must be > 0, got ",
        when=lambda d: d.attrs.get("window_size", 1) <= 0, true=[on(window_size=-5)], wrong=[on(window_size=5)]),
    refusal("Skipgram", "a file's name is any bytes; TensorFlow's front end cannot say so of one that is not there",
        ours="NotFoundError: <.*~\xff: >No such file", theirs="InvalidArgumentError: 'utf-8' codec can't decode byte",
        wrong=[but(theirs="InvalidArgumentError: 'ascii' codec can't decode byte 0xff"), call("ReadFile")]),
]

# SPDX-License-Identifier: Apache-2.0
"""Tests of packages that cannot pass here, each with the reason: own_tests.py counts their failures apart."""

from __future__ import annotations

import fnmatch

_EAGER = "it needs eager execution, which is not here"
_TOOL = (
    "it needs a tool that checks the package's sources, and says nothing of TensorFlow"
)
_PYTEST = (
    "today's pytest takes no `message` of a skip, by which the package leaves it out"
)

# Package -> the end of a test's name, with * for any part -> why.
UNPASSABLE = {
    "t3f": {
        "nn_test.py::*::testKerasDense": "it makes variables of one name twice, which eager execution allows and graphs refuse",  # fmt: skip # noqa: E501
        "utils_test.py::*::testReplaceTfSvdWithNpSvd": _EAGER,
    },
    "gpflow": {
        "test_likelihoods.py::test_bernoulli_equiv_pred_mean_var": _PYTEST,
        "test_likelihoods.py::test_bernoulli_equiv_var_exps": _PYTEST,
        "test_hmc.py::SampleGaussianTest::test_burn": "today's pandas takes no position as a label",  # fmt: skip # noqa: E501
        "test_notebooks.py": "it needs nbformat and the notebooks, which the package does not bring",  # fmt: skip # noqa: E501
    },
    "tensorlayer": {
        "test_documentation.py": _TOOL,
        "test_pydocstyle.py": _TOOL,
        "test_yapf_format.py": _TOOL,
        "test_logging_hyperdash.py": "it needs hyperdash, a service of the network",
        "test_mnist_simple.py::*::test_reuse_vgg": "it downloads data",
    },
}


def reason(package: str, test: str) -> str | None:
    """Why a test of the package cannot pass; None if it is not listed."""
    for end, why in UNPASSABLE.get(package, {}).items():
        if fnmatch.fnmatchcase(test, f"*{end}"):
            return why
    return None

# SPDX-License-Identifier: Apache-2.0
"""An op's setup.py, which hands our flags to an extension."""

import tensorflow as tf
from setuptools import Extension, setup

setup(
    name="word_codes",
    version="1.0",
    py_modules=[],
    ext_modules=[
        Extension(
            "word_codes",
            ["word_codes.cc"],
            extra_compile_args=[*tf.sysconfig.get_compile_flags(), "-std=c++14", "-O2"],
            extra_link_args=tf.sysconfig.get_link_flags(),
        )
    ],
)

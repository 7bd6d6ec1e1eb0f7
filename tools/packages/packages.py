# SPDX-License-Identifier: Apache-2.0
"""The packages of PyPI, written for TensorFlow 1, whose first examples main.py runs."""

from __future__ import annotations

import dataclasses


@dataclasses.dataclass(frozen=True)
class Package:
    """A package: its example's name, the requirement, and others that it needs in versions of its own.

    requirements.txt has the requirements that many packages share.  `source`: the source archive is unpacked, not
    installed.  `old_protos`: its generated messages are older than protobuf 3.20, and need protobuf in Python.
    `fails`: why the example is expected to fail; empty if it is not.
    """

    name: str
    requirement: str
    beside: tuple[str, ...] = ()
    source: bool = False
    old_protos: bool = False
    fails: str = ""

    @property
    def version(self) -> str:
        return self.requirement.partition("==")[2]


_KERAS_BERT = (
    "keras-embed-sim==0.8.0",
    "keras-layer-normalization==0.14.0",
    "keras-multi-head==0.27.0",
    "keras-pos-embd==0.11.0",
    "keras-position-wise-feed-forward==0.6.0",
    "keras-self-attention==0.46.0",
    "keras-transformer==0.33.0",
)
_TENSOR2TENSOR = (
    "bz2file==0.98",
    "gym==0.17.3",
    "mesh-tensorflow==0.1.21",
    "kfac==0.2.4",
    "promise==2.3",
    "tensorboard==2.15.2",
    "tensorflow-datasets==3.2.1",
    "tensorflow-metadata==0.30.0",
    "googleapis-common-protos==1.53.0",
    "tensorflow-gan==2.0.0",
    "tensorflow-hub==0.7.0",
    "tensorflow-probability==0.7.0",
    "tf-slim==1.1.0",
)

PACKAGES = (
    Package("ampligraph", "ampligraph==1.4.0"),
    Package("bert_tensorflow", "bert-tensorflow==1.0.1"),
    Package(
        "cleverhans",
        "cleverhans==3.0.1",
        ("mnist==0.2.2", "nose==1.3.7", "tensorflow-probability==0.5.0"),
    ),
    Package("deepctr", "deepctr==0.7.5"),
    Package("deepxde", "DeepXDE==0.8.6"),
    Package(
        "edward",
        "edward==1.3.5",
        fails="it makes operations without inputs and adds those later, as before TensorFlow 1.5",
    ),
    Package("gpflow", "gpflow==1.5.1"),
    Package("gpt_2_simple", "gpt-2-simple==0.8.1"),
    Package("horovod", "horovod==0.28.1", source=True),
    Package("keras_2_2", "Keras==2.2.4"),
    Package("keras_2_3", "Keras==2.3.1"),
    Package("keras_bert", "keras-bert==0.81.0", _KERAS_BERT),
    Package("lucid", "lucid==0.3.10"),
    Package("mesh_tensorflow", "mesh-tensorflow==0.1.21"),
    Package("opennmt_tf", "OpenNMT-tf==1.25.3"),
    Package("prettytensor", "prettytensor==0.7.4"),
    Package(
        "sonnet",
        "dm-sonnet==1.35",
        ("tensorflow-probability==0.7.0",),
        old_protos=True,
    ),
    Package("stable_baselines", "stable-baselines==2.10.2", ("gym==0.17.3",)),
    Package("t3f", "t3f==1.2.0"),
    Package("tensor2tensor", "tensor2tensor==1.15.7", _TENSOR2TENSOR, old_protos=True),
    Package("tensorflow_hub", "tensorflow-hub==0.7.0", old_protos=True),
    Package("tensorflow_probability", "tensorflow-probability==0.5.0"),
    Package("tensorflow_ranking", "tensorflow-ranking==0.1.6"),
    Package("tensorforce", "tensorforce==0.4.3", ("gym==0.12.5",)),
    Package("tensorlayer", "tensorlayer==1.11.1"),
    Package("tensorpack", "tensorpack==0.11"),
    Package("tensorrec", "tensorrec==0.26.2"),
    Package("tf2onnx", "tf2onnx==1.8.5"),
    Package(
        "tf_agents",
        "tf-agents==0.3.0",
        ("gym==0.17.3", "tensorflow-probability==0.7.0"),
        fails="its modules are objects that checkpoints of the second version track",
    ),
    Package("tf_slim", "tf-slim==1.1.0"),
    Package("tflearn", "tflearn==0.5.0"),
    Package("trfl", "trfl==1.2.0", ("tensorflow-probability==0.7.0",)),
)

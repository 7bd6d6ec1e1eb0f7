# SPDX-License-Identifier: Apache-2.0
"""MNIST out of its four files: images of handwritten digits, 28 x 28 pixels, and their labels.

The files must be there: nothing here loads them from a network.
"""

from __future__ import annotations

import collections
import gzip
from typing import IO, TYPE_CHECKING

import numpy as np

from tensorwright.python.framework import dtypes, random_seed
from tensorwright.python.platform import gfile

if TYPE_CHECKING:
    from tensorwright.python.framework.type_aliases import DTypeLike

Datasets = collections.namedtuple("Datasets", ["train", "validation", "test"])

# Errors about missing files say that they can be had there.
DEFAULT_SOURCE_URL = "https://storage.googleapis.com/cvdf-datasets/mnist/"
SOURCE_URL = DEFAULT_SOURCE_URL

TRAIN_IMAGES = "train-images-idx3-ubyte.gz"
TRAIN_LABELS = "train-labels-idx1-ubyte.gz"
TEST_IMAGES = "t10k-images-idx3-ubyte.gz"
TEST_LABELS = "t10k-labels-idx1-ubyte.gz"

# The first number of a file tells what it holds.
_IMAGES, _LABELS = 2051, 2049


def _numbers(stream: IO[bytes], count: int) -> list[int]:
    """The next `count` numbers of 4 bytes, the highest first."""
    return np.frombuffer(stream.read(4 * count), ">u4").tolist()


def _unpacked(f: IO[bytes]) -> IO[bytes]:
    """The contents of a file: of a gzip archive those inside."""
    is_packed = f.read(2) == b"\x1f\x8b"
    f.seek(0)
    return gzip.GzipFile(fileobj=f) if is_packed else f


def _array(stream: IO[bytes], f: IO[bytes], kind: int, rank: int) -> np.ndarray:
    """The bytes of a file, uint8 of the shape that it says."""
    name = getattr(f, "name", f)
    head = _numbers(stream, 1 + rank)
    if len(head) != 1 + rank or head[0] != kind:
        what = "image" if kind == _IMAGES else "label"
        number = head[0] if head else None
        raise ValueError(
            f"Invalid magic number {number} in MNIST {what} file: {name}, {kind} is wanted"
        )
    data = np.frombuffer(stream.read(), np.uint8)
    shape = head[1:]
    if data.size != np.prod(shape):
        raise ValueError(f"{name} has {data.size} bytes, its shape is {shape}")
    return data.reshape(shape)


def extract_images(f: IO[bytes]) -> np.ndarray:
    """The images of an open file, a gzip archive or not: uint8 [images, rows, columns, 1].

    Raises:
        ValueError: the file has no images, or is cut short.
    """
    return _array(_unpacked(f), f, _IMAGES, 3)[..., np.newaxis]


def extract_labels(
    f: IO[bytes], one_hot: bool = False, num_classes: int = 10
) -> np.ndarray:
    """The labels of an open file, a gzip archive or not: uint8 [labels].

    With `one_hot` float64 [labels, num_classes], 1 at the label.

    Raises:
        ValueError: the file has no labels, or is cut short.
    """
    labels = _array(_unpacked(f), f, _LABELS, 1)
    return dense_to_one_hot(labels, num_classes) if one_hot else labels


def dense_to_one_hot(labels_dense: np.ndarray, num_classes: int) -> np.ndarray:
    """float64 [labels, num_classes] of integers [labels]: 1 at the label, else 0."""
    return np.eye(num_classes)[labels_dense.ravel()]


class DataSet:
    """Images with labels, of which batches are taken.

    Args:
        images: uint8 [n, rows, columns, 1].
        labels: [n, ...].
        fake_data: batches are one image of ones, as often as is wanted.
        one_hot: whether fake labels are one-hot.
        dtype: uint8 keeps the pixels; float32 gives them in [0, 1].
        reshape: images become [n, rows * columns].
        seed: of the order of batches; the graph's if it is None.

    Raises:
        TypeError: another `dtype`.
        ValueError: not as many images as labels, or `reshape` of images with several channels.
    """

    def __init__(
        self,
        images: np.ndarray,
        labels: np.ndarray,
        fake_data: bool = False,
        one_hot: bool = False,
        dtype: DTypeLike = dtypes.float32,
        reshape: bool = True,
        seed: int | None = None,
    ):
        graph_seed, op_seed = random_seed.get_seed(seed)
        self._random = np.random.RandomState(graph_seed if seed is None else op_seed)
        dtype = dtypes.as_dtype(dtype).base_dtype
        if dtype not in (dtypes.uint8, dtypes.float32):
            raise TypeError(
                f"Invalid image dtype {dtype.name}, expected uint8 or float32"
            )
        self._fake, self.one_hot = fake_data, one_hot
        self._num_examples = 10000
        if not fake_data:
            images = np.asarray(images)
            self._num_examples = len(images)
            if len(images) != len(labels):
                raise ValueError(
                    f"there are {len(images)} images and {len(labels)} labels"
                )
            if reshape:
                if images.ndim != 4 or images.shape[3] != 1:
                    raise ValueError(
                        f"images must have the shape [n, rows, columns, 1], got {images.shape}"
                    )
                images = images.reshape(len(images), np.prod(images.shape[1:]))
            if dtype == dtypes.float32:
                images = images.astype(np.float32) * np.float32(1 / 255)
        self._images, self._labels = images, labels
        self._epochs_completed = 0
        self._index_in_epoch = 0

    @property
    def images(self) -> np.ndarray:
        """All images, in the order of the present epoch."""
        return self._images

    @property
    def labels(self) -> np.ndarray:
        """Their labels."""
        return self._labels

    @property
    def num_examples(self) -> int:
        return self._num_examples

    @property
    def epochs_completed(self) -> int:
        """How often batches have gone through all images."""
        return self._epochs_completed

    def _shuffle(self) -> None:
        order = np.arange(self._num_examples)
        self._random.shuffle(order)
        self._images, self._labels = self._images[order], self._labels[order]

    def next_batch(
        self, batch_size: int, fake_data: bool = False, shuffle: bool = True
    ) -> tuple:
        """The next images and labels.

        A batch that reaches the end of an epoch takes the rest from the next one.

        Args:
            batch_size: at most as many as there are images.
            fake_data: an image of ones and the label 0, `batch_size` times.
            shuffle: a new order in each epoch.
        """
        if fake_data or self._fake:
            label = [1] + [0] * 9 if self.one_hot else 0
            return [[1] * 784] * batch_size, [label] * batch_size
        start = self._index_in_epoch
        if self._epochs_completed == 0 and start == 0 and shuffle:
            self._shuffle()
        end = start + batch_size
        if end <= self._num_examples:
            self._index_in_epoch = end
            return self._images[start:end], self._labels[start:end]
        self._epochs_completed += 1
        images, labels = self._images[start:], self._labels[start:]
        if shuffle:
            self._shuffle()
        self._index_in_epoch = end - self._num_examples
        return (
            np.concatenate([images, self._images[: self._index_in_epoch]]),
            np.concatenate([labels, self._labels[: self._index_in_epoch]]),
        )


def _open(folder: str, name: str, source_url: str) -> IO[bytes]:
    """The file, or the same without .gz; says where it can be had if there is neither."""
    for path in (name, name.removesuffix(".gz")):
        path = f"{folder.rstrip('/')}/{path}"
        if gfile.Exists(path):
            return gfile.GFile(path, "rb")
    raise FileNotFoundError(
        f"{folder} lacks {name}, which nothing loads by itself: it can be had from {source_url or DEFAULT_SOURCE_URL}{name}"
    )


def read_data_sets(
    train_dir: str,
    fake_data: bool = False,
    one_hot: bool = False,
    dtype: DTypeLike = dtypes.float32,
    reshape: bool = True,
    validation_size: int = 5000,
    seed: int | None = None,
    source_url: str = DEFAULT_SOURCE_URL,
) -> Datasets:
    """MNIST out of a folder that has its four files, as gzip archives or unpacked.

    Args:
        train_dir: the folder.
        fake_data: sets of images of ones; no file is read.
        one_hot: labels are [n, 10], not [n].
        dtype: of images: uint8, or float32 in [0, 1].
        reshape: images are [n, 784], not [n, 28, 28, 1].
        validation_size: so many of the 60,000 images to train with are apart.
        seed: as of `DataSet`.
        source_url: the error of a missing file says that it can be had there.

    Returns:
        A tuple (train, validation, test) of `DataSet`.

    Raises:
        FileNotFoundError: the folder lacks a file.
        ValueError: a file that is not as it should be, or a `validation_size` that is out of range.
    """
    kwargs = {"one_hot": one_hot, "dtype": dtype, "seed": seed}
    if fake_data:
        nothing = np.zeros([0])
        sets = [DataSet(nothing, nothing, fake_data=True, **kwargs) for _ in range(3)]
        return Datasets(*sets)
    images, labels = {}, {}
    for part, of_images, of_labels in (
        ("train", TRAIN_IMAGES, TRAIN_LABELS),
        ("test", TEST_IMAGES, TEST_LABELS),
    ):
        with _open(train_dir, of_images, source_url) as f:
            images[part] = extract_images(f)
        with _open(train_dir, of_labels, source_url) as f:
            labels[part] = extract_labels(f, one_hot)
    count = len(images["train"])
    if not 0 <= validation_size <= count:
        raise ValueError(
            f"Validation size should be between 0 and {count}. Received: {validation_size}."
        )
    cut = validation_size
    return Datasets(
        *(
            DataSet(of_images, of_labels, reshape=reshape, **kwargs)
            for of_images, of_labels in (
                (images["train"][cut:], labels["train"][cut:]),
                (images["train"][:cut], labels["train"][:cut]),
                (images["test"], labels["test"]),
            )
        )
    )


def load_mnist(train_dir: str = "MNIST-data") -> Datasets:
    """`read_data_sets` of a folder, with its defaults."""
    return read_data_sets(train_dir)

# SPDX-License-Identifier: Apache-2.0
"""Boxes in images: crops, the best of many, random ones, drawn ones.

A box is [top, left, bottom, right], as parts of the image's height and width.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tensorwright.python.framework import dtypes, ops
from tensorwright.python.framework.type_aliases import TensorLike
from tensorwright.python.ops import array_ops, functional_ops, gen_image_ops
from tensorwright.python.util.renamed_arguments import deprecated_argument_lookup

if TYPE_CHECKING:
    from collections.abc import Sequence

_ANY_SCORE = float("-inf")


def crop_and_resize(
    image: TensorLike,
    boxes: TensorLike,
    box_ind: TensorLike | None = None,
    crop_size: TensorLike | None = None,
    method: str = "bilinear",
    extrapolation_value: float = 0,
    name: str | None = None,
    box_indices: TensorLike | None = None,
) -> ops.Tensor:
    """Cuts boxes out of images and resizes them: float32 [n, crop_size[0], crop_size[1], depth].

    Args:
        image: [batch, height, width, depth].
        boxes: float32 [n, 4]; 0 is the first row or column, 1 the last one. A bottom above the top flips the crop.
        box_ind: int32 [n], the image of each box.
        crop_size: int32 [2].
        method: "bilinear" or "nearest".
        extrapolation_value: the value of pixels outside the image.
        name: the op's name.
        box_indices: another name of `box_ind`.
    """
    box_ind = deprecated_argument_lookup("box_indices", box_indices, "box_ind", box_ind)
    if box_ind is None or crop_size is None:
        raise TypeError("crop_and_resize: box_ind and crop_size must be given")
    return gen_image_ops.crop_and_resize(
        image, boxes, box_ind, crop_size, method, extrapolation_value, name=name
    )


def draw_bounding_boxes(
    images: TensorLike,
    boxes: TensorLike,
    name: str | None = None,
    colors: TensorLike | None = None,
) -> ops.Tensor:
    """`images`, float16 or float32 [batch, height, width, channels], with the edges of `boxes` over them.

    Args:
        images: images of 1, 3 or 4 channels.
        boxes: float32 [batch, n, 4].
        name: the op's name.
        colors: float32 [m, channels or more], taken in turn; ten of the op's own if not given.
    """
    if colors is None:
        return gen_image_ops.draw_bounding_boxes(images, boxes, name=name)
    return gen_image_ops.draw_bounding_boxes_v2(images, boxes, colors, name=name)


def extract_glimpse(
    input: TensorLike,
    size: TensorLike,
    offsets: TensorLike,
    centered: bool = True,
    normalized: bool = True,
    uniform_noise: bool = True,
    name: str | None = None,
) -> ops.Tensor:
    """Cuts a window out of each image: [batch, size[0], size[1], channels].

    Args:
        input: float32 [batch, height, width, channels].
        size: int32 [2].
        offsets: float32 [batch, 2], the windows' middles, down and to the right.
        centered: whether offsets count from the middle of the image, in halves of it; else from its first pixel.
        normalized: whether offsets are parts of the image's size, not pixels.
        uniform_noise: whether pixels outside the image are noise between its least and greatest number; if not, they
            are noise of its mean and deviation.
        name: the op's name.
    """
    return gen_image_ops.extract_glimpse(
        input,
        size,
        offsets,
        centered=centered,
        normalized=normalized,
        uniform_noise=uniform_noise,
        noise="uniform" if uniform_noise else "gaussian",
        name=name,
    )


def sample_distorted_bounding_box(
    image_size: TensorLike,
    bounding_boxes: TensorLike,
    seed: int | None = None,
    seed2: int | None = None,
    min_object_covered: TensorLike = 0.1,
    aspect_ratio_range: Sequence[float] | None = None,
    area_range: Sequence[float] | None = None,
    max_attempts: int | None = None,
    use_image_if_no_bounding_boxes: bool | None = None,
    name: str | None = None,
) -> gen_image_ops._SampleDistortedBoundingBoxV2Output:
    """Draws a random crop of an image that keeps enough of an object.

    Args:
        image_size: [height, width, channels], an integer vector.
        bounding_boxes: float32 [batch, n, 4], of the objects.
        seed: with `seed2`, gives the same crops in every session.
        seed2: see `seed`.
        min_object_covered: a float32 scalar, the part of one object that must be in the crop.
        aspect_ratio_range: the range of width by height, [0.75, 1.33].
        area_range: the range of the crop's area by the image's, [0.05, 1].
        max_attempts: after so many draws, 100, the crop is the whole image.
        use_image_if_no_bounding_boxes: whether an empty `bounding_boxes` stands for one box around the image.
        name: the op's name.

    Returns:
        begin and size, vectors of 3 for `tf.slice`, and the crop as a box [1, 1, 4].
    """
    return gen_image_ops._sample_distorted_bounding_box_v2(
        image_size,
        bounding_boxes,
        min_object_covered,
        seed=seed or 0,
        seed2=seed2 or 0,
        aspect_ratio_range=aspect_ratio_range or [0.75, 1.33],
        area_range=area_range or [0.05, 1.0],
        max_attempts=100 if max_attempts is None else max_attempts,
        use_image_if_no_bounding_boxes=bool(use_image_if_no_bounding_boxes),
        name=name,
    )


def non_max_suppression(
    boxes: TensorLike,
    scores: TensorLike,
    max_output_size: TensorLike,
    iou_threshold: TensorLike = 0.5,
    score_threshold: TensorLike = _ANY_SCORE,
    name: str | None = None,
) -> ops.Tensor:
    """Selects the best boxes that overlap little, and returns their indices, int32 [max_output_size or fewer].

    Args:
        boxes: float16 or float32 [n, 4], corners in any unit.
        scores: [n].
        max_output_size: an int32 scalar.
        iou_threshold: a box is left out if its common area with a better box is more than this part of their joint
            area.
        score_threshold: boxes with scores that are not above this are left out.
        name: the op's name.
    """
    with ops.name_scope(name, "non_max_suppression") as scope:
        iou_threshold = _as_float32(iou_threshold, "iou_threshold")
        score_threshold = _as_float32(score_threshold, "score_threshold")
        return gen_image_ops.non_max_suppression_v3(
            boxes, scores, max_output_size, iou_threshold, score_threshold, name=scope
        )


def _as_float32(value: TensorLike, name: str) -> ops.Tensor:
    return ops.convert_to_tensor(value, dtype_hint=dtypes.float32, name=name)


def non_max_suppression_with_scores(
    boxes: TensorLike,
    scores: TensorLike,
    max_output_size: TensorLike,
    iou_threshold: TensorLike = 0.5,
    score_threshold: TensorLike = _ANY_SCORE,
    soft_nms_sigma: TensorLike = 0.0,
    name: str | None = None,
) -> tuple[ops.Tensor, ops.Tensor]:
    """`non_max_suppression`, which also returns the scores of the selected boxes.

    For a positive `soft_nms_sigma`, boxes that overlap a better one by no more than `iou_threshold` have their score
    multiplied by exp(-overlap^2 / (2 * soft_nms_sigma)).
    """
    with ops.name_scope(name, "non_max_suppression_with_scores") as scope:
        boxes = ops.convert_to_tensor(boxes, name="boxes")
        most, least, sigma = (
            ops.convert_to_tensor(number, boxes.dtype.base_dtype)
            for number in (iou_threshold, score_threshold, soft_nms_sigma)
        )
        indices, selected, _ = gen_image_ops.non_max_suppression_v5(
            boxes, scores, max_output_size, most, least, sigma, name=scope
        )
        return indices, selected


def non_max_suppression_padded(
    boxes: TensorLike,
    scores: TensorLike,
    max_output_size: TensorLike,
    iou_threshold: TensorLike = 0.5,
    score_threshold: TensorLike = _ANY_SCORE,
    pad_to_max_output_size: bool = False,
    name: str | None = None,
    sorted_input: bool = False,
    canonicalized_coordinates: bool = False,
    tile_size: int = 512,
) -> tuple[ops.Tensor, ops.Tensor]:
    """`non_max_suppression` of boxes [..., n, 4], whose number of results can be fixed.

    Args:
        boxes: more than two dimensions need `pad_to_max_output_size`.
        scores: [..., n].
        max_output_size: as in `non_max_suppression`.
        iou_threshold: likewise.
        score_threshold: likewise.
        pad_to_max_output_size: whether indices are padded with 0 to `max_output_size`.
        name: the name of the ops.
        sorted_input: a hint that scores fall; it changes nothing.
        canonicalized_coordinates: a hint that a box's first corner is the lesser one; it changes nothing.
        tile_size: a hint for other machines; it changes nothing.

    Returns:
        indices [..., m] and the number of valid indices [...].
    """
    del sorted_input, canonicalized_coordinates, tile_size
    with ops.name_scope(name, "non_max_suppression_padded"):
        boxes = ops.convert_to_tensor(boxes, name="boxes")
        scores = ops.convert_to_tensor(scores, name="scores")
        iou_threshold = _as_float32(iou_threshold, "iou_threshold")
        score_threshold = _as_float32(score_threshold, "score_threshold")

        def select(one: tuple[ops.Tensor, ops.Tensor]) -> tuple[ops.Tensor, ops.Tensor]:
            indices, valid = gen_image_ops.non_max_suppression_v4(
                *one,
                max_output_size,
                iou_threshold,
                score_threshold,
                pad_to_max_output_size=pad_to_max_output_size,
            )
            return indices, valid

        rank = boxes.get_shape().ndims
        if rank in (None, 2):
            return select((boxes, scores))
        if not pad_to_max_output_size:
            raise ValueError(
                "non_max_suppression_padded: pad_to_max_output_size must be true for boxes of "
                f"shape {boxes.get_shape()}"
            )
        batch = array_ops.shape(boxes)[:-2]
        each = [
            array_ops.reshape(
                x, array_ops.concat([[-1], array_ops.shape(x)[rank - 2 :]], 0)
            )
            for x in (boxes, scores)
        ]
        types = (dtypes.int32, dtypes.int32)
        indices, valid = functional_ops.map_fn(select, tuple(each), dtype=types)
        indices = array_ops.reshape(
            indices, array_ops.concat([batch, array_ops.shape(indices)[1:]], 0)
        )
        return indices, array_ops.reshape(valid, batch)


def non_max_suppression_overlaps(
    overlaps: TensorLike,
    scores: TensorLike,
    max_output_size: TensorLike,
    overlap_threshold: TensorLike = 0.5,
    score_threshold: TensorLike = _ANY_SCORE,
    name: str | None = None,
) -> ops.Tensor:
    """`non_max_suppression` of n things of which `overlaps`, float32 [n, n], says how alike two are."""
    return gen_image_ops.non_max_suppression_with_overlaps(
        overlaps, scores, max_output_size, overlap_threshold, score_threshold, name=name
    )


def combined_non_max_suppression(
    boxes: TensorLike,
    scores: TensorLike,
    max_output_size_per_class: TensorLike,
    max_total_size: TensorLike,
    iou_threshold: TensorLike = 0.5,
    score_threshold: TensorLike = _ANY_SCORE,
    pad_per_class: bool = False,
    clip_boxes: bool = True,
    name: str | None = None,
) -> gen_image_ops._CombinedNonMaxSuppressionOutput:
    """`non_max_suppression` of each class of each image, and the best of all classes.

    Args:
        boxes: float32 [batch, n, 1 or classes, 4].
        scores: float32 [batch, n, classes].
        max_output_size_per_class: an int32 scalar.
        max_total_size: an int32 scalar, m below.
        iou_threshold: as in `non_max_suppression`.
        score_threshold: likewise.
        pad_per_class: whether m is no more than all classes can give.
        clip_boxes: whether boxes are cut off at 0 and 1.
        name: the op's name.

    Returns:
        boxes [batch, m, 4], scores [batch, m], classes [batch, m], float32 and padded with 0, and how many count,
        int32 [batch].
    """
    return gen_image_ops.combined_non_max_suppression(
        boxes,
        scores,
        max_output_size_per_class,
        max_total_size,
        iou_threshold,
        score_threshold,
        pad_per_class,
        clip_boxes,
        name=name,
    )


def generate_bounding_box_proposals(
    scores: TensorLike,
    bbox_deltas: TensorLike,
    image_info: TensorLike,
    anchors: TensorLike,
    nms_threshold: TensorLike = 0.7,
    pre_nms_topn: TensorLike = 6000,
    min_size: TensorLike = 16,
    post_nms_topn: int = 300,
    name: str | None = None,
) -> gen_image_ops._GenerateBoundingBoxProposalsOutput:
    """The best boxes of what a region proposal network says of images; boxes are in pixels here.

    The boxes with the best scores are decoded: the middle of an anchor moves by (dy, dx) of its sides, which grow by
    exp(dh) and exp(dw), 62.5 times at most.  They are cut off at the image's edges; those that are large enough are
    taken in the order of their scores, unless they overlap a better one.

    Args:
        scores: float32 [n, height, width, a]: of each anchor at each place.
        bbox_deltas: float32 [n, height, width, 4 * a]: [dy, dx, dh, dw] of each.
        image_info: float32 [n, 5]: height, width and scale of each image, and two numbers that do not count.
        anchors: float32 [height, width, 4 * a], those of each place, or [a, 4], the same everywhere: [top, left, bottom,
            right] of each.
        nms_threshold: a box is left out if its common area with a better box is more than this part of their joint
            area.
        pre_nms_topn: int32, how many boxes are decoded at most.
        min_size: the shorter side that a box must have, in pixels of an image of scale 1.
        post_nms_topn: how many boxes each image gets.
        name: the op's name.

    Returns:
        rois, float32 [n, post_nms_topn, 4], the best first, and roi_probabilities, float32 [n, post_nms_topn], their
        scores, both padded with 0.

    Raises:
        ValueError: shapes that do not fit each other.
        tf.errors.InvalidArgumentError: in a run, another number of anchors, or a limit out of its range.
    """
    return gen_image_ops.generate_bounding_box_proposals(
        scores,
        bbox_deltas,
        image_info,
        anchors,
        nms_threshold,
        pre_nms_topn,
        min_size,
        post_nms_topn=post_nms_topn,
        name=name,
    )

# SPDX-License-Identifier: Apache-2.0
"""Functions of images: a facade of image_ops_*.py."""

from tensorwright.python.ops._image.image_ops_color import (
    adjust_brightness as adjust_brightness,
    adjust_gamma as adjust_gamma,
    convert_image_dtype as convert_image_dtype,
    grayscale_to_rgb as grayscale_to_rgb,
    per_image_standardization as per_image_standardization,
    random_brightness as random_brightness,
    rgb_to_grayscale as rgb_to_grayscale,
    rgb_to_yiq as rgb_to_yiq,
    rgb_to_yuv as rgb_to_yuv,
    yiq_to_rgb as yiq_to_rgb,
    yuv_to_rgb as yuv_to_rgb,
)
from tensorwright.python.ops._image.image_ops_edges import (
    image_gradients as image_gradients,
    sobel_edges as sobel_edges,
    total_variation as total_variation,
)
from tensorwright.python.ops._image.image_ops_geometry import (
    central_crop as central_crop,
    crop_to_bounding_box as crop_to_bounding_box,
    flip_left_right as flip_left_right,
    flip_up_down as flip_up_down,
    pad_to_bounding_box as pad_to_bounding_box,
    random_flip_left_right as random_flip_left_right,
    random_flip_up_down as random_flip_up_down,
    resize_image_with_crop_or_pad as resize_image_with_crop_or_pad,
    resize_with_crop_or_pad as resize_with_crop_or_pad,
    rot90 as rot90,
    transpose as transpose,
    transpose_image as transpose_image,
)
from tensorwright.python.ops._image.image_ops_quality import (
    psnr as psnr,
    ssim as ssim,
    ssim_multiscale as ssim_multiscale,
)
from tensorwright.python.ops.array_ops import (
    extract_image_patches as extract_image_patches,
    extract_patches as extract_patches,
)
from tensorwright.python.ops.random_ops import random_crop as random_crop

__all__ = [
    "adjust_brightness",
    "adjust_gamma",
    "central_crop",
    "convert_image_dtype",
    "crop_to_bounding_box",
    "extract_image_patches",
    "extract_patches",
    "flip_left_right",
    "flip_up_down",
    "grayscale_to_rgb",
    "image_gradients",
    "pad_to_bounding_box",
    "per_image_standardization",
    "psnr",
    "random_brightness",
    "random_crop",
    "random_flip_left_right",
    "random_flip_up_down",
    "resize_image_with_crop_or_pad",
    "resize_with_crop_or_pad",
    "rgb_to_grayscale",
    "rgb_to_yiq",
    "rgb_to_yuv",
    "rot90",
    "sobel_edges",
    "ssim",
    "ssim_multiscale",
    "total_variation",
    "transpose",
    "transpose_image",
    "yiq_to_rgb",
    "yuv_to_rgb",
]

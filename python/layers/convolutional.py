# SPDX-License-Identifier: Apache-2.0
"""Convolutional layers and their functions: re-exports, no code."""

# ruff: noqa: F401
from tensorwright.python.layers.convolutional_direct import (
    Conv1D,
    Conv2D,
    Conv3D,
    conv1d,
    conv2d,
    conv3d,
)
from tensorwright.python.layers.convolutional_separable import (
    SeparableConv1D as SeparableConv1D,
    SeparableConv2D,
    separable_conv1d as separable_conv1d,
    separable_conv2d,
)
from tensorwright.python.layers.convolutional_transpose import (
    Conv2DTranspose,
    Conv3DTranspose,
    conv2d_transpose,
    conv3d_transpose,
)

# Older names.
Convolution1D = Conv1D
Convolution2D = Conv2D
Convolution3D = Conv3D
SeparableConvolution2D = SeparableConv2D
Convolution2DTranspose = Deconvolution2D = Deconv2D = Conv2DTranspose
Convolution3DTranspose = Deconvolution3D = Deconv3D = Conv3DTranspose
convolution1d = conv1d
convolution2d = conv2d
convolution3d = conv3d
separable_convolution2d = separable_conv2d
convolution2d_transpose = deconvolution2d = deconv2d = conv2d_transpose
convolution3d_transpose = deconvolution3d = deconv3d = conv3d_transpose

// SPDX-License-Identifier: Apache-2.0
// Which algorithm computes a convolution of floats or a gradient of one: pure
// functions of sizes, which the kernels call (conv_ops_float.cc) and which
// `tw plan` puts into words (conv_ops_choices.cc).
//
// half and bfloat16 are converted to float and back.  double and int32 have one
// algorithm, kPatches.
#ifndef TENSORWRIGHT_CORE_KERNELS_NN_CONV_OPS_CHOOSE_H_
#define TENSORWRIGHT_CORE_KERNELS_NN_CONV_OPS_CHOOSE_H_

#include <string>

#include "core/kernels/nn/conv_ops.h"

namespace tensorwright {

enum class ConvPass { kForward, kInputGrad, kFilterGrad };

// In the order in which they are considered.  Each is the first choice where
// its predicate below says so; the last two always can be tried.
enum class ConvAlgorithm {
  kProduct,   // One matrix product, MatMulFloat.
  kWinograd,  // conv_ops_winograd.h
  kNarrow,    // conv_ops_narrow.h
  kOneDnn,    // conv_ops_onednn.h
  kPatches,   // conv_ops_generic.h
};

// What runs.  `first`: what stands before it in the order has turned out not to
// do it: Winograd's result was not finite, oneDNN has nothing for the sizes.
// Every size is positive.
ConvAlgorithm ChooseConv(ConvPass pass, const Conv2DDimensions& d,
                         ConvAlgorithm first = ConvAlgorithm::kProduct);

// The gradient of a filter of one pixel, each pixel of whose output comes from
// the pixel of the input at the same place: oneDNN's convolution is slower than
// its product of matrices.
bool CanProduct(ConvPass pass, const Conv2DDimensions& d);

// Filters of 3x3 and 5x5 pixels that move by one, channels that fill vectors,
// and so much work that the multiplications saved outweigh the transforms and
// the rounding errors.  Never with TF_ENABLE_WINOGRAD_NONFUSED=0 in the
// environment, which is read once.
bool CanWinograd(ConvPass pass, const Conv2DDimensions& d);

// The gradient of an input of few channels, with which oneDNN does not fill its
// vectors.
bool CanNarrow(ConvPass pass, const Conv2DDimensions& d);

// The first reason against each of them; null if there is none.
const char* AgainstProduct(ConvPass pass, const Conv2DDimensions& d);
const char* AgainstWinograd(ConvPass pass, const Conv2DDimensions& d);
const char* AgainstNarrow(ConvPass pass, const Conv2DDimensions& d);

// How many times the operations of Winograd's algorithm, transforms included,
// the plain sum has.  3x3 and 5x5 filters only.
double WinogradGain(ConvPass pass, const Conv2DDimensions& d);

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_KERNELS_NN_CONV_OPS_CHOOSE_H_

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

// In the order in which they are considered.  The first whose predicate below
// holds is chosen; the last two have none and can always be tried.
enum class ConvAlgorithm {
  kProduct,   // One matrix product, MatMulFloat.
  kWinograd,  // conv_ops_winograd.h
  kNarrow,    // conv_ops_narrow.h
  kOneDnn,    // conv_ops_onednn.h
  kPatches,   // conv_ops_generic.h
};

// The algorithm to run: the first one, from `first` on, that can.  Pass a later
// `first` if an algorithm has failed at run time: Winograd's result was not
// finite, or oneDNN does not support the sizes.  Every size is positive.
ConvAlgorithm ChooseConv(ConvPass pass, const Conv2DDimensions& d,
                         ConvAlgorithm first = ConvAlgorithm::kProduct);

// The filter gradient of a convolution with a filter of one pixel whose output
// pixels correspond one to one to its input pixels. oneDNN's convolution is
// slower there than its matrix product.
bool CanProduct(ConvPass pass, const Conv2DDimensions& d);

// Filters of 3x3 and 5x5 pixels with stride 1, channels that fill vectors, and
// so much work that the saved multiplications outweigh the transforms and the
// rounding errors.  False if the environment has TF_ENABLE_WINOGRAD_NONFUSED=0,
// which is read once.
bool CanWinograd(ConvPass pass, const Conv2DDimensions& d);

// The input gradient of a convolution with few input channels, with which
// oneDNN does not fill its vectors.
bool CanNarrow(ConvPass pass, const Conv2DDimensions& d);

// The first reason not to choose the algorithm, as text; null if there is none.
const char* AgainstProduct(ConvPass pass, const Conv2DDimensions& d);
const char* AgainstWinograd(ConvPass pass, const Conv2DDimensions& d);
const char* AgainstNarrow(ConvPass pass, const Conv2DDimensions& d);

// The number of operations of the plain sum divided by that of Winograd's
// algorithm, transforms included. 3x3 and 5x5 filters only.
double WinogradGain(ConvPass pass, const Conv2DDimensions& d);

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_KERNELS_NN_CONV_OPS_CHOOSE_H_

// SPDX-License-Identifier: Apache-2.0
// Chooses the algorithm for a convolution of floats or its gradients, by pure
// functions of sizes.  The kernels call them (conv_ops_float.cc), and `tw plan`
// puts their answers into words (conv_ops_choices.cc).
//
// half and bfloat16 are converted to float and back.  double and int32 have one
// algorithm, kPatches.
#ifndef TENSORWRIGHT_CORE_KERNELS_NN_CONV_OPS_CHOOSE_H_
#define TENSORWRIGHT_CORE_KERNELS_NN_CONV_OPS_CHOOSE_H_

#include <string>

#include "core/kernels/nn/conv_ops.h"

namespace tensorwright {

enum class ConvPass { kForward, kInputGrad, kFilterGrad };

// The algorithms, in the order in which they are considered.  The first whose
// predicate below holds is chosen; the last two have none and can always be
// tried.
enum class ConvAlgorithm {
  kProduct,   // One matrix product, MatMulFloat.
  kWinograd,  // conv_ops_winograd.h
  kNarrow,    // conv_ops_narrow.h
  kOneDnn,    // conv_ops_onednn.h
  kPatches,   // conv_ops_generic.h
};

// Returns the first algorithm, from `first` on, that can run.  Pass a later
// `first` if an algorithm has failed at run time: Winograd's result was not
// finite, or oneDNN does not support the sizes.  Every size is positive.
ConvAlgorithm ChooseConv(ConvPass pass, const Conv2DDimensions& d,
                         ConvAlgorithm first = ConvAlgorithm::kProduct);

// Says whether the convolution's filter gradient is one matrix product: the
// filter has one pixel, and output pixels correspond one to one to input
// pixels.  oneDNN's convolution is slower for these than its matrix product.
bool CanProduct(ConvPass pass, const Conv2DDimensions& d);

// Says whether Winograd's algorithm pays: filters have 3x3 or 5x5 pixels and
// stride 1, channels fill vectors, and the work is so much that the saved
// multiplications outweigh the transforms and the rounding errors.  False if
// the environment has TF_ENABLE_WINOGRAD_NONFUSED=0, which is read once.
bool CanWinograd(ConvPass pass, const Conv2DDimensions& d);

// Says whether this is the input gradient of a convolution with so few input
// channels that oneDNN does not fill its vectors.
bool CanNarrow(ConvPass pass, const Conv2DDimensions& d);

// Returns the first reason not to choose the algorithm, as text; null if there
// is none.
const char* AgainstProduct(ConvPass pass, const Conv2DDimensions& d);
const char* AgainstWinograd(ConvPass pass, const Conv2DDimensions& d);
const char* AgainstNarrow(ConvPass pass, const Conv2DDimensions& d);

// Returns the number of operations of the plain sum divided by that of
// Winograd's algorithm with its transforms.  Serves 3x3 and 5x5 filters only.
double WinogradGain(ConvPass pass, const Conv2DDimensions& d);

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_KERNELS_NN_CONV_OPS_CHOOSE_H_

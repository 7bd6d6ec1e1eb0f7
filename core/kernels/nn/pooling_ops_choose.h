// SPDX-License-Identifier: Apache-2.0
// Which algorithm computes a pool or the gradient of one: pure functions of
// sizes and type.  The kernels call them, and `tw plan` puts their answers into
// words (pooling_ops_choices.cc).
#ifndef TENSORWRIGHT_CORE_KERNELS_NN_POOLING_OPS_CHOOSE_H_
#define TENSORWRIGHT_CORE_KERNELS_NN_POOLING_OPS_CHOOSE_H_

#include "core/framework/types.h"
#include "core/kernels/nn/pooling_ops.h"

namespace tensorwright {

enum class PoolPass { kForward, kGrad };

// In the order in which they are considered.
enum class PoolAlgorithm {
  kEquals,  // MaxPoolGradOfEquals
  kApart,   // MaxPoolGradOfApartWindows
  kPlaces,  // MaxPoolWithPlaces and MaxPoolGradOfPlaces
  kOneDnn,  // OneDnnPool and the gradients of that name
  kLoops,   // ForEachWindow
};

// The algorithm to run.  If it is oneDNN and that does not support the sizes,
// the kernel falls back to the loops.
PoolAlgorithm ChoosePool(PoolKind kind, PoolPass pass, DataType dtype,
                         const PoolDimensions& d);

// The gradient of a max pool with planes, for which TensorFlow has a rule of
// its own.
bool CanEquals(PoolKind kind, PoolPass pass, const PoolDimensions& d);

// The gradient of a max pool whose windows do not overlap: each element of the
// input is read once and its gradient written once.
bool CanApart(PoolKind kind, PoolPass pass, DataType dtype,
              const PoolDimensions& d);

// Max pools by vectors of channels, where a pixel of a window fits into a byte.
// The forward pass of fewer channels than a vector has lanes is quicker by
// oneDNN.
bool CanPlaces(PoolKind kind, PoolPass pass, DataType dtype,
               const PoolDimensions& d);

// Floats, no window over channels.
bool CanOneDnn(DataType dtype, const PoolDimensions& d);

// The first reason not to choose the algorithm, as text; null if there is none.
const char* AgainstEquals(PoolKind kind, PoolPass pass,
                          const PoolDimensions& d);
const char* AgainstApart(PoolKind kind, PoolPass pass, DataType dtype,
                         const PoolDimensions& d);
const char* AgainstPlaces(PoolKind kind, PoolPass pass, DataType dtype,
                          const PoolDimensions& d);
const char* AgainstOneDnn(DataType dtype, const PoolDimensions& d);

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_KERNELS_NN_POOLING_OPS_CHOOSE_H_

// SPDX-License-Identifier: Apache-2.0
// Chooses the algorithm for a pool or its gradient by pure functions of sizes
// and type.  The kernels call them, and `tw plan` puts their answers into words
// (pooling_ops_choices.cc).
#ifndef TENSORWRIGHT_CORE_KERNELS_NN_POOLING_OPS_CHOOSE_H_
#define TENSORWRIGHT_CORE_KERNELS_NN_POOLING_OPS_CHOOSE_H_

#include "core/framework/types.h"
#include "core/kernels/nn/pooling_ops.h"

namespace tensorwright {

enum class PoolPass { kForward, kGrad };

// The algorithms, in the order in which they are considered.
enum class PoolAlgorithm {
  kEquals,  // MaxPoolGradOfEquals
  kApart,   // MaxPoolGradOfApartWindows
  kPlaces,  // MaxPoolWithPlaces and MaxPoolGradOfPlaces
  kOneDnn,  // OneDnnPool and the gradients of that name
  kLoops,   // ForEachWindow
};

// Returns the algorithm to run.  If it is oneDNN and that does not support the
// sizes, the kernel falls back to the loops.
PoolAlgorithm ChoosePool(PoolKind kind, PoolPass pass, DataType dtype,
                         const PoolDimensions& d);

// Says whether this is the gradient of a max pool with planes, for which
// TensorFlow has a rule of its own.
bool CanEquals(PoolKind kind, PoolPass pass, const PoolDimensions& d);

// Says whether this is the gradient of a max pool whose windows do not overlap:
// it reads each element of the input once and writes its gradient once.
bool CanApart(PoolKind kind, PoolPass pass, DataType dtype,
              const PoolDimensions& d);

// Says whether a max pool can go by vectors of channels; the number of a pixel
// in a window must fit into a byte.  oneDNN is faster for the forward pass of
// fewer channels than a vector has lanes.
bool CanPlaces(PoolKind kind, PoolPass pass, DataType dtype,
               const PoolDimensions& d);

// Says whether the pool is one of floats without a window over channels.
bool CanOneDnn(DataType dtype, const PoolDimensions& d);

// Returns the first reason not to choose the algorithm, as text; null if there
// is none.
const char* AgainstEquals(PoolKind kind, PoolPass pass,
                          const PoolDimensions& d);
const char* AgainstApart(PoolKind kind, PoolPass pass, DataType dtype,
                         const PoolDimensions& d);
const char* AgainstPlaces(PoolKind kind, PoolPass pass, DataType dtype,
                          const PoolDimensions& d);
const char* AgainstOneDnn(DataType dtype, const PoolDimensions& d);

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_KERNELS_NN_POOLING_OPS_CHOOSE_H_

// SPDX-License-Identifier: Apache-2.0
// CUDA loops of the elementwise ops of two arguments.

#include "core/kernels/math/cwise_ops_gpu.cu.h"

namespace tensorwright {

#define TW_BINARY(op, cost, types, gpu, flags, ...) \
  template struct InstantiateBinary<functor::op, gpu_types::gpu>;
#define TW_BINARY_PLAIN(op, cost, types, gpu, flags) \
  template struct InstantiateBinary<functor::op, gpu_types::gpu>;
#include "core/kernels/lib/cwise_table.h"

}  // namespace tensorwright

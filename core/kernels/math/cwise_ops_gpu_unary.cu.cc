// SPDX-License-Identifier: Apache-2.0
// CUDA loops of the elementwise ops of one argument.

#include "core/kernels/math/cwise_ops_gpu.cu.h"

namespace tensorwright {

#define TW_UNARY(op, cost, types, gpu, flags, ...) \
  template struct InstantiateUnary<functor::op, gpu_types::gpu>;
#define TW_UNARY_PLAIN(op, cost, types, gpu, flags) \
  template struct InstantiateUnary<functor::op, gpu_types::gpu>;
#include "core/kernels/lib/cwise_table.h"

}  // namespace tensorwright

// SPDX-License-Identifier: Apache-2.0
// Elementwise kernels of one argument: exponentials, logarithms, trigonometry.

#include "core/framework/numeric_types.h"
#include "core/framework/op_kernel.h"
#include "core/kernels/lib/cwise_ops.h"
#include "core/kernels/lib/cwise_ops_complex_tanh.h"

namespace tensorwright {

template <typename C>
class ComplexTanhOp final : public UnaryOpBase {
 public:
  explicit ComplexTanhOp(OpKernelConstruction* ctx)
      : UnaryOpBase(ctx, &ComplexTanhLoop<C>, /*cost=*/20) {}
};

REGISTER_KERNEL_FOR_TYPES(Name("Tanh").Device(DEVICE_CPU), "T", ComplexTanhOp,
                          complex64, complex128);

}  // namespace tensorwright

#define TW_ROWS TW_TRANSCENDENTAL_ROWS
#define TW_CWISE_TABLE "core/kernels/lib/cwise_table.h"
#include "core/kernels/lib/cwise_table_kernels.h"

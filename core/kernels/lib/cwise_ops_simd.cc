// SPDX-License-Identifier: Apache-2.0
// Highway's loops of arithmetic, activations and gradients, compiled once per
// instruction set; cwise_ops_simd_special.cc has the loops of other functions.

#include "core/kernels/lib/cwise_ops_simd.h"

#include "core/kernels/lib/foreach_target.h"  // IWYU pragma: keep
// This comes after it, since it is compiled once per instruction set, too.
#include "core/kernels/lib/cwise_ops_simd-inl.h"

#define TW_ROWS                                                            \
  (TW_ARITHMETIC_ROWS | TW_BINARY_ROWS | TW_DIVISION_ROWS | TW_GRAD_ROWS | \
   TW_RELU_ROWS | TW_SOFTPLUS_ROWS)
#define TW_CWISE_TABLE "core/kernels/lib/cwise_table.h"
#include "core/kernels/lib/cwise_table_simd-inl.h"

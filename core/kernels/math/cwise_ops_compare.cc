// SPDX-License-Identifier: Apache-2.0
// Elementwise comparisons and logic.

#include "core/framework/numeric_types.h"
#include "core/framework/op_kernel.h"
#include "core/kernels/lib/cwise_ops.h"

#define TW_ROWS TW_COMPARE_ROWS
#define TW_CWISE_TABLE "core/kernels/lib/cwise_table.h"
#include "core/kernels/lib/cwise_table_kernels.h"

// SPDX-License-Identifier: Apache-2.0
// A table of one op, which only a test knows.  It stands for the row that a new
// op gets in cwise_table.h; only this and its REGISTER_OP name it.
//
// The vector form adds one, so that a result tells which form made it.

// clang-format off
#include "core/kernels/lib/cwise_table_begin.h"

TW_UNARY_FORM(TestCube, x, x * x * x)
TW_UNARY(TestCube, 1, (int32, float, double), None, kActivation,
         hn::Add(hn::Mul(v, Squared(v)), hn::Set(d, 1)))

#include "core/kernels/lib/cwise_table_end.h"

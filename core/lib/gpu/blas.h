// SPDX-License-Identifier: Apache-2.0
// Products of matrices on GPUs: by cuBLAS, which is opened when the first is
// asked for, or by the stand-in.
#ifndef TENSORWRIGHT_CORE_LIB_GPU_BLAS_H_
#define TENSORWRIGHT_CORE_LIB_GPU_BLAS_H_

#include <cstdint>

#include "core/lib/core/status.h"

struct CUstream_st;  // A cudaStream_t points to one.

namespace tensorwright::gpu {

// Elements of 16 bits are multiplied exactly and summed as float; those of
// float are not rounded before (no TF32).
enum class BlasType { kHalf, kBfloat16, kFloat, kDouble };

// c[i] = op(a[i]) x op(b[i]) (+ c[i]), 0 <= i < batch, row-major matrices in
// the device's memory: op(a[i]) [m, k], op(b[i]) [k, n], c[i] [m, n].  A
// transposed argument is stored as [k, m] or [n, k].  a[i] is a_step elements
// behind a[i - 1], which may be 0; rows of a are a_row elements apart, as they
// are stored; likewise b and c.
struct Product {
  BlasType type = BlasType::kFloat;
  bool transpose_a = false, transpose_b = false;
  bool add = false;
  int64_t m = 0, n = 0, k = 0;
  int64_t a_row = 0, b_row = 0, c_row = 0;
  int64_t batch = 1;
  int64_t a_step = 0, b_step = 0, c_step = 0;

  // Sets rows and steps of matrices that lie next to each other.
  void SetDense() {
    a_row = transpose_a ? m : k;
    b_row = transpose_b ? k : n;
    c_row = n;
    a_step = m * k;
    b_step = k * n;
    c_step = m * n;
  }
};

// Enqueues the product; every size is positive.  NotFound, naming what was
// looked for, if cuBLAS cannot be opened; InvalidArgument for sizes beyond
// int32; Internal if the product does not start.  Thread safe.
Status Multiply(CUstream_st* stream, const Product& product, const void* a,
                const void* b, void* c);

}  // namespace tensorwright::gpu

#endif  // TENSORWRIGHT_CORE_LIB_GPU_BLAS_H_

// SPDX-License-Identifier: Apache-2.0
// Products of matrices of any number type, for which oneDNN has nothing
// (double, integers, complex) or would cost more than the work.
#ifndef TENSORWRIGHT_CORE_KERNELS_LIB_GEMM_H_
#define TENSORWRIGHT_CORE_KERNELS_LIB_GEMM_H_

#include <cstdint>
#include <type_traits>

#include "core/framework/op_kernel.h"

namespace tensorwright {

// A row-major matrix whose rows start `stride` elements apart, or the transpose
// of one.
template <typename T>
struct MatrixRef {
  T* data;
  int64_t stride;
  bool transposed;

  int64_t row_step() const { return transposed ? 1 : stride; }
  int64_t col_step() const { return transposed ? stride : 1; }
};

// c = a x b, or c += a x b:  a [m, k], b [k, n], c [m, n].  c overlaps neither.
// Runs on the intra-op threads.  T: float, double, int32, int64, complex64,
// complex128; integers wrap.
template <typename T>
void Gemm(OpKernelContext* ctx, int64_t m, int64_t n, int64_t k,
          std::type_identity_t<MatrixRef<const T>> a,
          std::type_identity_t<MatrixRef<const T>> b, bool accumulate,
          std::type_identity_t<MatrixRef<T>> c);

// The same on the calling thread.
template <typename T>
void GemmOnThisThread(int64_t m, int64_t n, int64_t k,
                      std::type_identity_t<MatrixRef<const T>> a,
                      std::type_identity_t<MatrixRef<const T>> b,
                      bool accumulate, std::type_identity_t<MatrixRef<T>> c);

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_KERNELS_LIB_GEMM_H_

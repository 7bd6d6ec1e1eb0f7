// SPDX-License-Identifier: Apache-2.0
// Declares the vector loops of the rows of TW_CWISE_TABLE, which its includer
// defines; cwise_table_simd-inl.h makes them.  No include guard, on purpose.

namespace tensorwright {

#define TW_UNARY(op, cost, types, gpu, flags, ...)          \
  template <>                                               \
  struct SimdLoop<functor::op> : SimdUnaryLoop {            \
    static void Run(const float* x, float* y, int64_t n);   \
    static void Run(const double* x, double* y, int64_t n); \
  };
#define TW_BINARY(op, cost, types, gpu, flags, ...)                            \
  template <>                                                                  \
  struct SimdLoop<functor::op> : SimdBinaryLoop<(flags)> {                     \
    static void Run(const float* x, const float* y, float* z, int64_t n,       \
                    int x_step, int y_step);                                   \
    static void Run(const double* x, const double* y, double* z, int64_t n,    \
                    int x_step, int y_step);                                   \
    static void Run(const int32_t* x, const int32_t* y, int32_t* z, int64_t n, \
                    int x_step, int y_step);                                   \
  };
#include TW_CWISE_TABLE

}  // namespace tensorwright

#undef TW_CWISE_TABLE

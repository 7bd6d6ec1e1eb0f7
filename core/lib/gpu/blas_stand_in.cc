// SPDX-License-Identifier: Apache-2.0
// Products of matrices on the stand-in: plain loops on the stream's thread.
#include <vector>

#include "core/lib/gpu/blas.h"
#include "core/lib/gpu/convert.h"
#include "core/lib/gpu/stand_in.h"

namespace tensorwright::gpu {
namespace {

template <typename T>
void Run(const Product& p, const T* a, const T* b, T* c) {
  using C = Compute<T>;
  // Element [i, l] of op(a) is a[i * a_i + l * a_l], likewise op(b) [l, j].
  const int64_t a_i = p.transpose_a ? 1 : p.a_row;
  const int64_t a_l = p.transpose_a ? p.a_row : 1;
  const int64_t b_l = p.transpose_b ? 1 : p.b_row;
  const int64_t b_j = p.transpose_b ? p.b_row : 1;
  std::vector<C> right(p.k * p.n), row(p.n);
  for (int64_t i = 0; i < p.batch; ++i) {
    const T* const left = a + i * p.a_step;
    for (int64_t l = 0; l < p.k; ++l) {
      for (int64_t j = 0; j < p.n; ++j) {
        right[l * p.n + j] = Widen(b[i * p.b_step + l * b_l + j * b_j]);
      }
    }
    for (int64_t r = 0; r < p.m; ++r) {
      T* const out = c + i * p.c_step + r * p.c_row;
      for (int64_t j = 0; j < p.n; ++j) row[j] = p.add ? Widen(out[j]) : C(0);
      for (int64_t l = 0; l < p.k; ++l) {
        const C factor = Widen(left[r * a_i + l * a_l]);
        const C* const from = right.data() + l * p.n;
        for (int64_t j = 0; j < p.n; ++j) row[j] += factor * from[j];
      }
      for (int64_t j = 0; j < p.n; ++j) out[j] = Narrow<T>(row[j]);
    }
  }
}

template <typename T>
void Enqueue(CUstream_st* stream, const Product& p, const void* a,
             const void* b, void* c) {
  stand_in::Enqueue(stream, [=] {
    Run(p, static_cast<const T*>(a), static_cast<const T*>(b),
        static_cast<T*>(c));
  });
}

}  // namespace

Status Multiply(CUstream_st* stream, const Product& product, const void* a,
                const void* b, void* c) {
  switch (product.type) {
    case BlasType::kHalf:
      Enqueue<Half>(stream, product, a, b, c);
      break;
    case BlasType::kBfloat16:
      Enqueue<Bfloat16>(stream, product, a, b, c);
      break;
    case BlasType::kFloat:
      Enqueue<float>(stream, product, a, b, c);
      break;
    case BlasType::kDouble:
      Enqueue<double>(stream, product, a, b, c);
      break;
  }
  return OkStatus();
}

}  // namespace tensorwright::gpu

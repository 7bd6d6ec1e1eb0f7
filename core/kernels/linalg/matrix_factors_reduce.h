// SPDX-License-Identifier: Apache-2.0
// Reduces Hermitian matrices to real tridiagonal ones, and others to real
// bidiagonal ones; and the rotations that make both diagonal.
#ifndef TENSORWRIGHT_CORE_KERNELS_LINALG_MATRIX_FACTORS_REDUCE_H_
#define TENSORWRIGHT_CORE_KERNELS_LINALG_MATRIX_FACTORS_REDUCE_H_

#include <cstdint>

#include "absl/container/inlined_vector.h"
#include "core/kernels/linalg/matrix_factors.h"

namespace tensorwright {
namespace linalg {

// Overwrites a [n, n], which has both triangles of a Hermitian matrix:  a = Q B
// Q^H, B with `diagonal` [n] and `beside` [n - 1].
template <typename T>
Reflectors<T> Tridiagonalize(OpKernelContext* ctx, Workspace* work, int64_t n,
                             Planes<T> a, double* diagonal, double* beside);

// a [n, n] = Q B P^H, B with `diagonal` [n] and `above` [n - 1].
template <typename T>
struct Bidiagonal {
  Reflectors<T> q, p;
};
template <typename T>
Bidiagonal<T> Bidiagonalize(OpKernelContext* ctx, Workspace* work, int64_t n,
                            Planes<T> a, double* diagonal, double* above);

// Rotations of neighbouring rows, collected and applied many at a time: a
// matrix goes through the cache once for all of them.
template <typename T>
class Rotations {
 public:
  // Rotates the rows of z, which has `cols` columns.  `ascending`: rows 0 and 1
  // come first.
  Rotations(OpKernelContext* ctx, Planes<T> z, int64_t cols, bool ascending)
      : ctx_(ctx), z_(z), cols_(cols), ascending_(ascending) {}

  // Begins a sweep of rotations; the first is for rows `first` and `first` + 1.
  void Begin(int64_t first) { sweeps_.push_back({first, size(), size()}); }
  // Descending: z[i + 1] = s z[i] + c z[i + 1], z[i] = c z[i] - s z[i + 1].
  // Ascending: z[i] = c z[i] + s z[i + 1], z[i + 1] = c z[i + 1] - s z[i].
  void Add(double c, double s) {
    c_.push_back(static_cast<Real<T>>(c));
    s_.push_back(static_cast<Real<T>>(s));
  }
  void End() {
    sweeps_.back().end = size();
    if (size() >= kMany) Apply();
  }
  void Apply();

 private:
  static constexpr int64_t kMany = 1 << 15;
  struct Sweep {
    int64_t first, begin, end;
  };
  int64_t size() const { return static_cast<int64_t>(c_.size()); }
  void ApplyToColumns(Real<T>* plane, int64_t begin, int64_t end) const;

  OpKernelContext* const ctx_;
  const Planes<T> z_;
  const int64_t cols_;
  const bool ascending_;
  // As many as a small matrix needs take no allocation.
  absl::InlinedVector<Sweep, 32> sweeps_;
  absl::InlinedVector<Real<T>, 128> c_, s_;
};

}  // namespace linalg
}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_KERNELS_LINALG_MATRIX_FACTORS_REDUCE_H_

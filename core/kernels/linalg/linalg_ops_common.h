// SPDX-License-Identifier: Apache-2.0
// Helpers that the kernels of this room share: batches of matrices, checked,
// and their conversion to planes.
#ifndef TENSORWRIGHT_CORE_KERNELS_LINALG_LINALG_OPS_COMMON_H_
#define TENSORWRIGHT_CORE_KERNELS_LINALG_LINALG_OPS_COMMON_H_

#include <algorithm>
#include <cstdint>
#include <functional>

#include "absl/base/thread_annotations.h"
#include "core/framework/device_base.h"
#include "core/framework/op_kernel.h"
#include "core/framework/tensor.h"
#include "core/kernels/linalg/matrix_factors.h"
#include "core/lib/core/errors.h"
#include "core/platform/mutex.h"
#include "core/util/work_sharder.h"

namespace tensorwright {
namespace linalg {

// A tensor [..., rows, cols] as `count` matrices.
struct Batch {
  int64_t count = 1;
  int64_t rows = 0;
  int64_t cols = 0;

  int64_t size() const { return rows * cols; }
};

inline Status ReadBatch(const OpKernelContext& ctx, int index, Batch* batch) {
  const TensorShape& shape = ctx.input(index).shape();
  const int rank = shape.dims();
  if (rank < 2) {
    return errors::InvalidArgument("Input tensor ", index,
                                   " must have rank >= 2, got ", rank);
  }
  *batch = Batch();
  for (int d = 0; d < rank - 2; ++d) batch->count *= shape.dim_size(d);
  batch->rows = shape.dim_size(rank - 2);
  batch->cols = shape.dim_size(rank - 1);
  return OkStatus();
}

inline Status ReadSquareBatch(const OpKernelContext& ctx, int index,
                              Batch* batch) {
  TF_RETURN_IF_ERROR(ReadBatch(ctx, index, batch));
  if (batch->rows == batch->cols) return OkStatus();
  return errors::InvalidArgument("Input matrix must be square, got shape ",
                                 ctx.input(index).shape().DebugString());
}

// The outer dimensions of input 0 before `rows` and `cols`; a negative number
// is left out.
inline Status BatchShape(const OpKernelContext& ctx, int64_t rows, int64_t cols,
                         TensorShape* shape) {
  *shape = ctx.input(0).shape();
  shape->RemoveLastDims(2);
  if (rows >= 0) TF_RETURN_IF_ERROR(shape->AddDimWithStatus(rows));
  if (cols >= 0) TF_RETURN_IF_ERROR(shape->AddDimWithStatus(cols));
  return OkStatus();
}

// Calls fn(inner, work, i) -> Status for each of `count` matrices, each of
// which costs about `cost` cycles.  Many matrices are divided among threads,
// each on one thread: then `inner` is null.  A few run one after the other with
// ctx as `inner`.  The first failure seen ends it.
template <typename Fn>
Status ForEachMatrix(OpKernelContext* ctx, int64_t count, double cost,
                     const Fn& fn) {
  const auto* workers = ctx->device()->tensorflow_cpu_worker_threads();
  const int threads = workers == nullptr ? 1 : workers->num_threads;
  if (count < threads) {
    Workspace work;
    for (int64_t i = 0; i < count; ++i) {
      TF_RETURN_IF_ERROR(fn(ctx, &work, i));
      work.Rewind({});
    }
    return OkStatus();
  }
  mutex mu;
  Status status;
  const auto run = [&](int64_t begin, int64_t end) {
    Workspace work;
    for (int64_t i = begin; i < end; ++i) {
      Status done = fn(static_cast<OpKernelContext*>(nullptr), &work, i);
      if (!done.ok()) {
        mutex_lock lock(mu);
        status.Update(done);
        return;
      }
      work.Rewind({});
    }
  };
  ParallelFor(ctx, count, static_cast<int64_t>(std::min(cost, 1e15)), run);
  return status;
}

// `from` [rows, cols] as planes that may be changed: in `home`, the place of
// the result, if its numbers are real, else in `work`.
template <typename T>
Planes<T> LoadHome(Workspace* work, const T* from, int64_t rows, int64_t cols,
                   T* home) {
  Planes<T> planes;
  if constexpr (kComplex<T>) {
    planes = work->TakePlanes<T>(rows, cols);
  } else {
    planes = {home, nullptr, cols};
    if (from == home) return planes;
  }
  LoadPlanes(from, rows, cols, cols, planes);
  return planes;
}

// Planes for a result [rows, cols] at `home`.
template <typename T>
Planes<T> MakeHome(Workspace* work, int64_t rows, int64_t cols, T* home) {
  if constexpr (kComplex<T>) {
    return work->TakePlanes<T>(rows, cols);
  } else {
    return {home, nullptr, cols};
  }
}

// Brings planes of the two above to `home`.
template <typename T>
void StoreHome(Planes<T> planes, int64_t rows, int64_t cols, T* home) {
  if constexpr (kComplex<T>) StorePlanes(planes, rows, cols, home);
}

template <typename T>
Planes<T> LoadCopy(Workspace* work, const T* from, int64_t rows, int64_t cols) {
  const Planes<T> planes = work->TakePlanes<T>(rows, cols);
  LoadPlanes(from, rows, cols, cols, planes);
  return planes;
}

// Is the smallest element of U's diagonal larger than zero?  A NaN counts only
// in the first position, as in TensorFlow.
template <typename T>
bool Invertible(int64_t n, Planes<T> lu) {
  if (n == 0) return true;
  Real<T> smallest = std::abs(lu.Get(0, 0));
  for (int64_t i = 1; i < n; ++i) {
    const Real<T> size = std::abs(lu.Get(i, i));
    if (size < smallest) smallest = size;
  }
  return smallest > Real<T>(0);
}

// The cost of a complex product, relative to a real one.
template <typename T>
inline constexpr double kCost = kComplex<T> ? 4 : 1;

}  // namespace linalg
}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_KERNELS_LINALG_LINALG_OPS_COMMON_H_

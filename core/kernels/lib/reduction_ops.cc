// SPDX-License-Identifier: Apache-2.0
// Reductions: axes, passes and threads.

#include "core/kernels/lib/reduction_ops.h"

#include <cstring>
#include <functional>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "core/lib/core/errors.h"
#include "core/util/int_elements.h"
#include "core/util/work_sharder.h"

namespace tensorwright {
namespace {

using Dims = absl::InlinedVector<int64_t, 8>;

// Sets reduced[i] if dimension i is among `axes`, a scalar or vector.
Status ReadAxes(const Tensor& axes, int rank, std::vector<bool>* reduced) {
  reduced->assign(rank, false);
  if (axes.dims() > 1) {
    return errors::InvalidArgument(
        "reduction_indices must be a scalar or a vector, got shape ",
        axes.shape().DebugString());
  }
  for (int64_t i = 0; i < axes.NumElements(); ++i) {
    const int64_t given = IntAt(axes, i);
    const int64_t axis = given < 0 ? given + rank : given;
    if (axis < 0 || axis >= rank) {
      return errors::InvalidArgument("Invalid reduction dimension (", given,
                                     " for input with ", rank, " dimension(s)");
    }
    if ((*reduced)[axis]) {
      return errors::InvalidArgument(
          "Invalid reduction arguments: Axes contains duplicate dimension: ",
          axis);
    }
    (*reduced)[axis] = true;
  }
  return OkStatus();
}

// The runs of ReductionAxes.  Dimensions of 1 join any run.
Dims FoldRuns(const TensorShape& shape, const std::vector<bool>& reduced) {
  Dims runs = {1};
  bool in_reduced = false;
  for (int i = 0; i < shape.dims(); ++i) {
    if (shape.dim_size(i) == 1) continue;
    if (reduced[i] != in_reduced) {
      runs.push_back(1);
      in_reduced = reduced[i];
    }
    runs.back() *= shape.dim_size(i);
  }
  return runs;
}

// Elements that one piece of a long reduction covers, whatever the number of
// threads: results must not depend on it.
constexpr int64_t kPiece = 32768;

const char* At(const void* p, int64_t byte) {
  return static_cast<const char*>(p) + byte;
}
char* At(void* p, int64_t byte) { return static_cast<char*>(p) + byte; }

}  // namespace

// Part of the interface of core/kernels/lib/gpu/reduction_axes.h, which lies
// above this library.
Status ResolveReduction(const TensorShape& shape, const Tensor& axes,
                        bool keep_dims, absl::InlinedVector<int64_t, 8>* runs,
                        TensorShape* out, int64_t* count);
Status ResolveReduction(const TensorShape& shape, const Tensor& axes,
                        bool keep_dims, absl::InlinedVector<int64_t, 8>* runs,
                        TensorShape* out, int64_t* count) {
  std::vector<bool> reduced;
  TF_RETURN_IF_ERROR(ReadAxes(axes, shape.dims(), &reduced));
  *count = 1;
  for (int i = 0; i < shape.dims(); ++i) {
    if (!reduced[i]) {
      out->AddDim(shape.dim_size(i));
    } else {
      *count *= shape.dim_size(i);
      if (keep_dims) out->AddDim(1);
    }
  }
  *runs = FoldRuns(shape, reduced);
  return OkStatus();
}

Status ReduceOnePass(OpKernelContext* ctx, ReductionLoopFn first,
                     const ReductionLoops& loops, const void* x,
                     int64_t element_size, int64_t outer, int64_t reduce,
                     int64_t inner, void* out) {
  const int64_t sum_size = DataTypeSize(loops.sum_dtype);
  // For few results of many elements, reduces pieces of the reduced dimension
  // first.
  const int64_t piece = std::max<int64_t>(1, kPiece / inner);
  const int64_t pieces = reduce / piece;
  if (outer * inner <= 1024 && pieces >= 2) {
    Tensor partial;
    TF_RETURN_IF_ERROR(ctx->allocate_temp(loops.sum_dtype,
                                          TensorShape({outer, pieces, inner}),
                                          &partial, ctx->output_alloc_attr(0)));
    const auto run = [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        const int64_t o = i / pieces, p = i % pieces;
        // The last piece takes the rest.
        const int64_t length = p + 1 < pieces ? piece : reduce - p * piece;
        first(At(x, (o * reduce + p * piece) * inner * element_size),
              At(partial.data(), i * inner * sum_size), 1, length, inner,
              inner);
      }
    };
    ParallelFor(ctx, outer * pieces, piece * inner, run);
    return ReduceOnePass(ctx, loops.next, loops, partial.data(), sum_size,
                         outer, pieces, inner, out);
  }
  if (outer == 1 && inner > 1) {
    const auto run = [&](int64_t begin, int64_t end) {
      first(At(x, begin * element_size), At(out, begin * sum_size), 1, reduce,
            end - begin, inner);
    };
    ParallelFor(ctx, inner, reduce + 1, run);
    return OkStatus();
  }
  const auto run = [&](int64_t begin, int64_t end) {
    first(At(x, begin * reduce * inner * element_size),
          At(out, begin * inner * sum_size), end - begin, reduce, inner, inner);
  };
  ParallelFor(ctx, outer, reduce * inner + 1, run);
  return OkStatus();
}

Status ReduceWith(OpKernelContext* ctx, const ReductionLoops& loops,
                  const Tensor& x, int64_t outer, int64_t reduce, int64_t inner,
                  Tensor* out) {
  const int64_t size = DataTypeSize(x.dtype());
  if (loops.sum_dtype == x.dtype()) {
    return ReduceOnePass(ctx, loops.first, loops, x.data(), size, outer, reduce,
                         inner, out->data());
  }
  Tensor sums;
  TF_RETURN_IF_ERROR(ctx->allocate_temp(loops.sum_dtype, out->shape(), &sums,
                                        ctx->output_alloc_attr(0)));
  TF_RETURN_IF_ERROR(ReduceOnePass(ctx, loops.first, loops, x.data(), size,
                                   outer, reduce, inner, sums.data()));
  loops.finish(sums.data(), out->data(), out->NumElements(), reduce);
  return OkStatus();
}

ReductionOpBase::ReductionOpBase(OpKernelConstruction* ctx,
                                 const ReductionLoops& loops,
                                 bool always_finishes)
    : OpKernel(ctx), loops_(loops), always_finishes_(always_finishes) {
  OP_REQUIRES_OK(ctx, ctx->GetAttr("keep_dims", &keep_dims_));
}

void ReductionOpBase::Compute(OpKernelContext* ctx) {
  const Tensor& x = ctx->input(0);
  TensorShape shape;
  int64_t count = 1;
  Dims runs;
  OP_REQUIRES_OK(ctx, ResolveReduction(x.shape(), ctx->input(1), keep_dims_,
                                       &runs, &shape, &count));
  if (runs.size() == 1 && loops_.changes_one) runs.push_back(1);
  if (runs.size() == 1) {
    // Only dimensions of 1 are reduced: the output is the input with another
    // shape.
    Tensor same;
    OP_REQUIRES(ctx, same.CopyFrom(x, shape),
                errors::Internal("Reduction: sizes differ"));
    ctx->set_output(0, same);
    return;
  }
  Tensor* out = nullptr;
  OP_REQUIRES_OK(ctx, ctx->allocate_output(0, shape, &out));
  if (out->NumElements() == 0) return;
  // Passes from the last reduced run to the first.
  const void* from = x.data();
  int64_t element_size = DataTypeSize(x.dtype());
  ReductionLoopFn loop = loops_.first;
  int64_t inner = 1;
  std::vector<Tensor> keep_alive;
  for (int i = static_cast<int>(runs.size()) - 1; i >= 0; --i) {
    if (i % 2 == 0) {
      inner *= runs[i];
      continue;
    }
    int64_t outer = 1;
    for (int j = 0; j < i; ++j) outer *= runs[j];
    const bool last = i == 1;
    const bool in_place = last && loops_.sum_dtype == x.dtype();
    void* to = out->data();
    if (!in_place) {
      keep_alive.emplace_back();
      OP_REQUIRES_OK(ctx, ctx->allocate_temp(
                              loops_.sum_dtype, TensorShape({outer * inner}),
                              &keep_alive.back(), ctx->output_alloc_attr(0)));
      to = keep_alive.back().data();
    }
    OP_REQUIRES_OK(ctx, ReduceOnePass(ctx, loop, loops_, from, element_size,
                                      outer, runs[i], inner, to));
    from = to;
    element_size = DataTypeSize(loops_.sum_dtype);
    loop = loops_.next;
  }
  if (from != out->data() || always_finishes_) {
    loops_.finish(from, out->data(), out->NumElements(), count);
  }
}

}  // namespace tensorwright

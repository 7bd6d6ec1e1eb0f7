// SPDX-License-Identifier: Apache-2.0
// GatherTree: the whole beams of a beam search, from the records of each step.

#include <algorithm>
#include <atomic>
#include <cstdint>

#include "core/framework/op_kernel.h"
#include "core/framework/tensor.h"
#include "core/lib/core/errors.h"
#include "core/util/work_sharder.h"

namespace tensorwright {
namespace {

// Ids and parents [time, batch, beam], row-major, and lengths [batch, beam].
struct Tree {
  const int32_t* ids;
  const int32_t* parents;
  const int32_t* lengths;
  int64_t time, batch, beam;

  int64_t at(int64_t t, int64_t b, int64_t k) const {
    return (t * batch + b) * beam + k;
  }
};

// Writes beam `path` = b * beam + k of `out`; returns the step whose parent is
// none of the beams, or -1 if all are right.
int64_t WritePath(const Tree& tree, int64_t path, int32_t* out) {
  const int64_t b = path / tree.beam, k = path % tree.beam;
  const int64_t end = std::min<int64_t>(tree.time, tree.lengths[path]);
  for (int64_t t = std::max<int64_t>(end, 0); t < tree.time; ++t) {
    out[tree.at(t, b, k)] = -1;
  }
  int64_t from = k;
  for (int64_t t = end - 1; t >= 0; --t) {
    if (from < 0 || from >= tree.beam) return t;
    out[tree.at(t, b, k)] = tree.ids[tree.at(t, b, from)];
    from = tree.parents[tree.at(t, b, from)];
  }
  return -1;
}

// The parent that WritePath found wrong at step `bad` of beam `path`.
int32_t WrongParent(const Tree& tree, int64_t path, int64_t bad) {
  const int64_t b = path / tree.beam;
  const int64_t end = std::min<int64_t>(tree.time, tree.lengths[path]);
  int32_t from = static_cast<int32_t>(path % tree.beam);
  for (int64_t t = end - 1; t > bad; --t) {
    from = tree.parents[tree.at(t, b, from)];
  }
  return from;
}

class GatherTreeOp final : public OpKernel {
 public:
  using OpKernel::OpKernel;

  void Compute(OpKernelContext* ctx) override {
    const Tensor& ids = ctx->input(0);
    Tensor* out = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, ids.shape(), &out));
    const Tree tree{ids.base<int32_t>(),
                    ctx->input(1).base<int32_t>(),
                    ctx->input(2).base<int32_t>(),
                    ids.dim_size(0),
                    ids.dim_size(1),
                    ids.dim_size(2)};
    const int64_t paths = tree.batch * tree.beam;
    int32_t* to = out->base<int32_t>();
    // The first broken path, whichever thread finds it.
    std::atomic<int64_t> broken{paths};
    ParallelFor(ctx, paths, tree.time * 8, [&](int64_t begin, int64_t end) {
      for (int64_t path = begin; path < end; ++path) {
        if (WritePath(tree, path, to) < 0) continue;
        int64_t seen = broken.load();
        while (path < seen && !broken.compare_exchange_weak(seen, path)) {
        }
        return;
      }
    });
    const int64_t path = broken.load();
    if (path == paths) return;
    const int64_t t = WritePath(tree, path, to);
    ctx->SetStatus(errors::InvalidArgument(
        "GatherTree: Saw invalid parent id ", WrongParent(tree, path, t),
        " at (batch, time, beam) == (", path / tree.beam, ", ", t, ", ",
        path % tree.beam, "); parent_ids must be in [0, ", tree.beam, ")"));
  }
};

REGISTER_KERNEL_BUILDER(
    Name("GatherTree").Device(DEVICE_CPU).TypeConstraint<int32_t>("T"),
    GatherTreeOp);

}  // namespace
}  // namespace tensorwright

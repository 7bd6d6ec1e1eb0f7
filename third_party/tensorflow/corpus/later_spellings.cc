// SPDX-License-Identifier: Apache-2.0
// Spellings of TensorFlow 2.10 and later: tsl, StatusOr, SchedulingParams,
// Eigen devices that are asked to run loops, absl everywhere.
#define EIGEN_USE_THREADS

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/cleanup/cleanup.h"
#include "absl/container/flat_hash_set.h"
#include "absl/container/inlined_vector.h"
#include "absl/memory/memory.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/synchronization/mutex.h"
#include "absl/types/span.h"
#include "tensorflow/core/framework/op.h"
#include "tensorflow/core/framework/op_kernel.h"
#include "tensorflow/core/framework/shape_inference.h"
#include "tensorflow/core/framework/tensor_shape.h"
#include "tensorflow/core/framework/types.pb.h"
#include "tensorflow/core/lib/core/threadpool.h"
#include "tensorflow/core/platform/errors.h"
#include "tensorflow/core/platform/refcount.h"
#include "tensorflow/core/platform/statusor.h"
#include "tensorflow/core/util/batch_util.h"
#include "tensorflow/core/util/overflow.h"
#include "tsl/platform/errors.h"
#include "unsupported/Eigen/CXX11/Tensor"

namespace corpus_later {

using ::tensorflow::DEVICE_CPU;
using ::tensorflow::OpKernel;
using ::tensorflow::OpKernelConstruction;
using ::tensorflow::OpKernelContext;
using ::tensorflow::Tensor;
using ::tensorflow::TensorShape;
using ::tensorflow::thread::ThreadPool;

class Total : public tensorflow::core::RefCounted {
 public:
  void Add(int64_t n) ABSL_LOCKS_EXCLUDED(mu_) {
    absl::MutexLock lock(&mu_);
    total_ += n;
  }
  int64_t Get() {
    absl::MutexLock lock(&mu_);
    return total_;
  }

 private:
  absl::Mutex mu_;
  int64_t total_ ABSL_GUARDED_BY(mu_) = 0;
};

tensorflow::StatusOr<int64_t> CheckedProduct(absl::Span<const int64_t> dims) {
  int64_t product = 1;
  for (int64_t d : dims) {
    product = tensorflow::MultiplyWithoutOverflow(product, d);
    if (product < 0) {
      return tsl::errors::InvalidArgument("overflow at ", d);
    }
  }
  return product;
}

absl::Status Validate(const TensorShape& shape) {
  TF_ASSIGN_OR_RETURN(const int64_t n, CheckedProduct(shape.dim_sizes()));
  if (n != shape.num_elements()) {
    return absl::InternalError(absl::StrCat("counted ", n));
  }
  return absl::OkStatus();
}

class LaterOp : public OpKernel {
 public:
  explicit LaterOp(OpKernelConstruction* ctx) : OpKernel(ctx) {
    OP_REQUIRES_OK(ctx, ctx->GetAttr("block", &block_));
    OP_REQUIRES(ctx, block_ > 0,
                absl::InvalidArgumentError(
                    absl::StrCat("block must be > 0, got ", block_)));
  }

  void Compute(OpKernelContext* ctx) override {
    const Tensor& x = ctx->input(0);
    OP_REQUIRES_OK(ctx, Validate(x.shape()));
    tensorflow::core::RefCountPtr<Total> total(new Total);
    auto on_exit = absl::MakeCleanup([&] { total.reset(); });
    Tensor* y = nullptr;
    OP_REQUIRES_OK(
        ctx, ctx->forward_input_or_allocate_output({0}, 0, x.shape(), &y));
    auto in = x.flat<float>();
    auto out = y->flat<float>();

    auto* pool = ctx->device()->tensorflow_cpu_worker_threads()->workers;
    pool->ParallelFor(
        in.size(),
        ThreadPool::SchedulingParams(
            ThreadPool::SchedulingStrategy::kFixedBlockSize, absl::nullopt,
            block_),
        [&](int64_t begin, int64_t end) { total->Add(end - begin); });
    pool->ParallelFor(
        in.size(),
        ThreadPool::SchedulingParams(ThreadPool::SchedulingStrategy::kAdaptive,
                                     100, std::nullopt),
        [&](int64_t begin, int64_t end) { total->Add(end - begin); });
    OP_REQUIRES(ctx, total->Get() == 2 * in.size(),
                absl::InternalError("lost some"));

    const Eigen::ThreadPoolDevice& device = ctx->eigen_cpu_device();
    device.parallelFor(in.size(), Eigen::TensorOpCost(4, 4, 1),
                       [&](Eigen::Index first, Eigen::Index last) {
                         for (Eigen::Index i = first; i < last; ++i) {
                           out(i) = 3 * in(i);
                         }
                       });
    out.device(device) = out + out.constant(1.0f);

    if (x.dims() > 0 && x.dim_size(0) > 0) {
      TensorShape row = x.shape();
      row.RemoveDim(0);
      Tensor first(x.dtype(), row);
      OP_REQUIRES_OK(ctx,
                     tensorflow::batch_util::CopySliceToElement(*y, &first, 0));
      OP_REQUIRES_OK(ctx, tensorflow::batch_util::CopyElementToSlice(
                              first, y, x.dim_size(0) - 1));
    }
    absl::flat_hash_set<int> set = {1, 2};
    absl::InlinedVector<int, 4> sorted = {3, 1, 2};
    absl::c_sort(sorted);
    OP_REQUIRES(ctx, set.contains(sorted[0]), absl::InternalError("set"));
  }

 private:
  int64_t block_;
};

REGISTER_KERNEL_BUILDER(Name("CorpusLater").Device(DEVICE_CPU), LaterOp);

REGISTER_OP("CorpusLater")
    .Input("x: float")
    .Output("y: float")
    .Attr("block: int = 16")
    .SetShapeFn([](tensorflow::shape_inference::InferenceContext* c) {
      tensorflow::shape_inference::ShapeHandle out;
      TF_RETURN_IF_ERROR(c->WithRankAtLeast(c->input(0), 1, &out));
      int64_t block;
      TF_RETURN_IF_ERROR(c->GetAttr("block", &block));
      if (block > 1000) return absl::OutOfRangeError("block");
      c->set_output(0, out);
      return absl::OkStatus();
    });

}  // namespace corpus_later

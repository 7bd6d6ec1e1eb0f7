// SPDX-License-Identifier: Apache-2.0
// Kernels of SparseSegmentSum, SparseSegmentMean and SparseSegmentSqrtN, their
// forms with a number of segments, and their gradients.

#include <algorithm>
#include <cmath>
#include <functional>
#include <type_traits>
#include <vector>

#include "core/framework/op_kernel.h"
#include "core/kernels/math/segment_reduction_ops.h"
#include "core/lib/core/errors.h"
#include "core/util/int_elements.h"
#include "core/util/work_sharder.h"

namespace tensorwright {
namespace {

// The number by which the sum of a segment is divided.
enum class Divisor { kOne, kCount, kRootOfCount };

double DivisorOf(Divisor divisor, int64_t count) {
  switch (divisor) {
    case Divisor::kCount:
      return static_cast<double>(count);
    case Divisor::kRootOfCount:
      return std::sqrt(static_cast<double>(count));
    default:
      return 1;
  }
}

// out = the sum of rows data[indices[i]], 0 <= i < count, divided by `divisor`.
using GatherLoopFn = void (*)(const void* data, const int64_t* indices,
                              int64_t count, int64_t row, double divisor,
                              void* out);

template <typename T>
void GatherLoop(const void* data, const int64_t* indices, int64_t count,
                int64_t row, double divisor, void* out) {
  using C = ComputeType<T>;
  const T* in = static_cast<const T*>(data);
  ReduceRows<SumReducer>([=](int64_t i) { return in + indices[i] * row; },
                         count, static_cast<T*>(out), row,
                         [divisor](C* sums, int64_t n) {
                           if constexpr (std::is_floating_point_v<C>) {
                             if (divisor == 1) return;
                             for (int64_t j = 0; j < n; ++j)
                               sums[j] /= static_cast<C>(divisor);
                           }
                         });
}

// Adds grad[ids[i], :] / divisors[ids[i]] to out[indices[i], :] for indices in
// [begin, end), after clearing those rows.
using ScatterLoopFn = void (*)(const void* grad,
                               const std::vector<int64_t>& indices,
                               const std::vector<int64_t>& ids,
                               const std::vector<double>& divisors, int64_t row,
                               int64_t begin, int64_t end, void* out);

struct AddQuotientLoop {
  template <typename C>
  TW_WIDE_LOOP static void Run(const C* x, C divisor, C* acc, int64_t n) {
    TW_VECTORIZE
    for (int64_t j = 0; j < n; ++j) acc[j] += x[j] / divisor;
  }
};

template <typename T>
void ScatterLoop(const void* grad, const std::vector<int64_t>& indices,
                 const std::vector<int64_t>& ids,
                 const std::vector<double>& divisors, int64_t row,
                 int64_t begin, int64_t end, void* out) {
  using C = ComputeType<T>;
  constexpr bool kNarrow = !std::is_same_v<C, T>;
  const T* in = static_cast<const T*>(grad);
  T* to = static_cast<T*>(out) + begin * row;
  const int64_t size = (end - begin) * row;
  std::vector<C> wide(kNarrow ? size : 0), widened(kNarrow ? row : 0);
  C* acc = wide.data();
  if constexpr (!kNarrow) {
    acc = to;
    std::fill_n(acc, size, C(0));
  }
  for (size_t i = 0; i < indices.size(); ++i) {
    if (indices[i] < begin || indices[i] >= end) continue;
    const T* from = in + ids[i] * row;
    const C* x = widened.data();
    if constexpr (kNarrow) {
      WidenFloats(from, widened.data(), row);
    } else {
      x = from;
    }
    RunWide<AddQuotientLoop>(x, static_cast<C>(divisors[ids[i]]),
                             acc + (indices[i] - begin) * row, row);
  }
  if constexpr (kNarrow) NarrowFloats(acc, to, size);
}

Status CheckShapes(absl::string_view op, const Tensor& data,
                   const Tensor& indices, const Tensor& ids) {
  if (data.dims() >= 1 && indices.dims() == 1 && ids.dims() == 1 &&
      indices.NumElements() == ids.NumElements()) {
    return OkStatus();
  }
  return errors::InvalidArgument(
      op,
      ": indices and segment_ids should be vectors of one size and the first "
      "argument of rank >= 1, got ",
      indices.shape().DebugString(), ", ", ids.shape().DebugString(), " and ",
      data.shape().DebugString());
}

}  // namespace

// The inputs are data, indices, segment_ids and, for the forms WithNumSegments,
// num_segments.
class SparseSegmentOpBase : public OpKernel {
 public:
  SparseSegmentOpBase(OpKernelConstruction* ctx, GatherLoopFn loop,
                      Divisor divisor)
      : OpKernel(ctx), loop_(loop), divisor_(divisor) {}

  void Compute(OpKernelContext* ctx) override {
    const Tensor& data = ctx->input(0);
    const Tensor& segment_ids = ctx->input(2);
    OP_REQUIRES_OK(
        ctx, CheckShapes(type_string(), data, ctx->input(1), segment_ids));
    const std::vector<int64_t> indices = ReadIds(ctx->input(1));
    OP_REQUIRES_OK(ctx, CheckIdsBelow(type_string(), "indices", indices,
                                      data.dim_size(0)));
    std::vector<Segment> segments;
    OP_REQUIRES_OK(ctx, FindSegments(type_string(), segment_ids, &segments));
    TensorShape shape = data.shape();
    OP_REQUIRES_OK(ctx, SetRows(ctx, segments, &shape));
    Tensor* output = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, shape, &output));
    if (output->NumElements() == 0) return;
    const int64_t row = output->NumElements() / output->dim_size(0);
    const int64_t bytes = row * DataTypeSize(data.dtype());
    const int64_t count = static_cast<int64_t>(segments.size());
    const int64_t used = segments.empty() ? 0 : segments.back().id + 1;
    std::fill_n(output->base<char>() + used * bytes,
                (output->dim_size(0) - used) * bytes, char{0});
    if (count == 0) return;
    const auto run = [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        const Segment& s = segments[i];
        const int64_t gap = i == 0 ? 0 : segments[i - 1].id + 1;
        char* out = output->base<char>();
        // Zero is zero bytes in all types.
        std::fill_n(out + gap * bytes, (s.id - gap) * bytes, char{0});
        loop_(data.data(), indices.data() + s.begin, s.end - s.begin, row,
              DivisorOf(divisor_, s.end - s.begin), out + s.id * bytes);
      }
    };
    const int64_t added = static_cast<int64_t>(indices.size()) * row;
    ParallelFor(ctx, count, added / count + 10, std::ref(run));
  }

 private:
  // Sets the number of rows: num_segments, or one more than the last id.
  Status SetRows(OpKernelContext* ctx, const std::vector<Segment>& segments,
                 TensorShape* shape) const {
    const int64_t last = segments.empty() ? -1 : segments.back().id;
    if (ctx->num_inputs() == 3) {
      return SetSegmentRows(type_string(), last, shape);
    }
    const Tensor& num_segments = ctx->input(3);
    if (num_segments.dims() != 0) {
      return errors::InvalidArgument(
          type_string(), ": num_segments should be a scalar, not shape ",
          num_segments.shape().DebugString());
    }
    const int64_t rows = IntOf(num_segments);
    if (rows < 0) {
      return errors::InvalidArgument(type_string(),
                                     ": num_segments must be >= 0, got ", rows);
    }
    if (last >= rows) {
      return errors::InvalidArgument(type_string(),
                                     ": segment_ids must be < num_segments ",
                                     rows, ", got ", last);
    }
    return shape->SetDimWithStatus(0, rows);
  }

  const GatherLoopFn loop_;
  const Divisor divisor_;
};

class SparseSegmentGradOpBase : public OpKernel {
 public:
  SparseSegmentGradOpBase(OpKernelConstruction* ctx, ScatterLoopFn loop,
                          Divisor divisor)
      : OpKernel(ctx), loop_(loop), divisor_(divisor) {}

  void Compute(OpKernelContext* ctx) override {
    const Tensor& grad = ctx->input(0);
    const Tensor& output_dim0 = ctx->input(3);
    OP_REQUIRES_OK(
        ctx, CheckShapes(type_string(), grad, ctx->input(1), ctx->input(2)));
    OP_REQUIRES(ctx, output_dim0.dims() == 0,
                errors::InvalidArgument(
                    type_string(), ": output_dim0 should be a scalar, not ",
                    "shape ", output_dim0.shape().DebugString()));
    const int64_t rows = output_dim0.scalar_value<int32>();
    OP_REQUIRES(ctx, rows >= 0,
                errors::InvalidArgument(
                    type_string(), ": output_dim0 must be >= 0, got ", rows));
    const std::vector<int64_t> indices = ReadIds(ctx->input(1));
    const std::vector<int64_t> ids = ReadIds(ctx->input(2));
    OP_REQUIRES_OK(ctx, CheckIdsBelow(type_string(), "indices", indices, rows));
    OP_REQUIRES_OK(ctx, CheckIdsBelow(type_string(), "segment_ids", ids,
                                      grad.dim_size(0)));
    TensorShape shape = grad.shape();
    OP_REQUIRES_OK(ctx, shape.SetDimWithStatus(0, rows));
    Tensor* output = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, shape, &output));
    if (output->NumElements() == 0) return;
    std::vector<int64_t> counts(grad.dim_size(0), 0);
    for (const int64_t id : ids) ++counts[id];
    std::vector<double> divisors(counts.size());
    std::transform(
        counts.begin(), counts.end(), divisors.begin(),
        [this](int64_t count) { return DivisorOf(divisor_, count); });
    const int64_t row = output->NumElements() / rows;
    const auto run = [&](int64_t begin, int64_t end) {
      loop_(grad.data(), indices, ids, divisors, row, begin, end,
            output->data());
    };
    // Each thread reads all indices, so that must cost little beside the
    // adding.
    if (row < 8) {
      run(0, rows);
    } else {
      ParallelFor(ctx, rows,
                  static_cast<int64_t>(indices.size()) * row / rows + row,
                  std::ref(run));
    }
  }

 private:
  const ScatterLoopFn loop_;
  const Divisor divisor_;
};

template <Divisor kDivisor>
struct SparseSegmentReduction {
  template <typename T>
  class Op final : public SparseSegmentOpBase {
   public:
    explicit Op(OpKernelConstruction* ctx)
        : SparseSegmentOpBase(ctx, &GatherLoop<T>, kDivisor) {}
  };

  template <typename T>
  class Grad final : public SparseSegmentGradOpBase {
   public:
    explicit Grad(OpKernelConstruction* ctx)
        : SparseSegmentGradOpBase(ctx, &ScatterLoop<T>, kDivisor) {}
  };
};

using SparseSegmentSum = SparseSegmentReduction<Divisor::kOne>;
using SparseSegmentMean = SparseSegmentReduction<Divisor::kCount>;
using SparseSegmentSqrtN = SparseSegmentReduction<Divisor::kRootOfCount>;

REGISTER_KERNEL_FOR_TYPES(Name("SparseSegmentSum").Device(DEVICE_CPU), "T",
                          SparseSegmentSum::Op, int8, int16, int32, int64_t,
                          uint8, uint16, uint32, uint64, Eigen::half,
                          Eigen::bfloat16, float, double);
REGISTER_KERNEL_FOR_TYPES(Name("SparseSegmentMean").Device(DEVICE_CPU), "T",
                          SparseSegmentMean::Op, Eigen::half, Eigen::bfloat16,
                          float, double);
REGISTER_KERNEL_FOR_TYPES(Name("SparseSegmentSqrtN").Device(DEVICE_CPU), "T",
                          SparseSegmentSqrtN::Op, Eigen::half, Eigen::bfloat16,
                          float, double);
REGISTER_KERNEL_FOR_TYPES(Name("SparseSegmentSumWithNumSegments")
                              .Device(DEVICE_CPU)
                              .HostMemory("num_segments"),
                          "T", SparseSegmentSum::Op, int8, int16, int32,
                          int64_t, uint8, uint16, uint32, uint64, Eigen::half,
                          Eigen::bfloat16, float, double);
REGISTER_KERNEL_FOR_TYPES(Name("SparseSegmentMeanWithNumSegments")
                              .Device(DEVICE_CPU)
                              .HostMemory("num_segments"),
                          "T", SparseSegmentMean::Op, Eigen::half,
                          Eigen::bfloat16, float, double);
REGISTER_KERNEL_FOR_TYPES(Name("SparseSegmentSqrtNWithNumSegments")
                              .Device(DEVICE_CPU)
                              .HostMemory("num_segments"),
                          "T", SparseSegmentSqrtN::Op, Eigen::half,
                          Eigen::bfloat16, float, double);
REGISTER_KERNEL_FOR_TYPES(
    Name("SparseSegmentSumGrad").Device(DEVICE_CPU).HostMemory("output_dim0"),
    "T", SparseSegmentSum::Grad, Eigen::half, Eigen::bfloat16, float, double);
REGISTER_KERNEL_FOR_TYPES(
    Name("SparseSegmentMeanGrad").Device(DEVICE_CPU).HostMemory("output_dim0"),
    "T", SparseSegmentMean::Grad, Eigen::half, Eigen::bfloat16, float, double);
REGISTER_KERNEL_FOR_TYPES(
    Name("SparseSegmentSqrtNGrad").Device(DEVICE_CPU).HostMemory("output_dim0"),
    "T", SparseSegmentSqrtN::Grad, Eigen::half, Eigen::bfloat16, float, double);

}  // namespace tensorwright

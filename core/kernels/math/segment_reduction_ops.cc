// SPDX-License-Identifier: Apache-2.0
// Kernels of SegmentSum, SegmentMean, SegmentProd, SegmentMin and SegmentMax.

#include "core/kernels/math/segment_reduction_ops.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <type_traits>

#include "core/framework/op_kernel.h"
#include "core/lib/core/errors.h"
#include "core/util/work_sharder.h"

namespace tensorwright {
namespace {

template <typename Index>
Status FindSegmentsOf(absl::string_view op, const Index* ids, int64_t n,
                      std::vector<Segment>* segments) {
  if (n == 0) return OkStatus();
  if (ids[0] < 0) {
    return errors::InvalidArgument(op, ": segment ids must be >= 0, got ",
                                   int64_t{ids[0]});
  }
  int64_t begin = 0;
  for (int64_t i = 1; i < n; ++i) {
    if (ids[i] == ids[i - 1]) continue;
    if (ids[i] < ids[i - 1]) {
      return errors::InvalidArgument(
          op, ": segment ids are not increasing: ", int64_t{ids[i]},
          " follows ", int64_t{ids[i - 1]}, " at ", i);
    }
    segments->push_back({ids[begin], begin, i});
    begin = i;
  }
  segments->push_back({ids[begin], begin, n});
  return OkStatus();
}

// Says whether the ids ascend from 0 or more; equal neighbours are allowed.
struct AscendingLoop {
  template <typename Index>
  TW_WIDE_LOOP static bool Run(const Index* ids, int64_t n) {
    Index bad = n > 0 && ids[0] < 0;
    for (int64_t i = 1; i < n; ++i) bad |= ids[i] < ids[i - 1];
    return bad == 0;
  }
};

// Divides integers as C does, even after sums wrapped.
template <typename C>
void DivideBy(int64_t count, C* sums, int64_t n) {
  for (int64_t j = 0; j < n; ++j) {
    if constexpr (std::is_integral_v<C>) {
      using Wide = std::conditional_t<std::is_signed_v<C>, int64_t, uint64_t>;
      sums[j] =
          static_cast<C>(static_cast<Wide>(sums[j]) / static_cast<Wide>(count));
    } else if constexpr (functor::kIsComplex<C>) {
      sums[j] /= static_cast<typename C::value_type>(count);
    } else {
      sums[j] /= static_cast<C>(count);
    }
  }
}

// Sets out to the reduction of `count` rows of `row` elements each.
using SegmentLoopFn = void (*)(const void* data, int64_t count, int64_t row,
                               void* out);
// Fills `n` elements of the output for segments without rows.
using SegmentFillFn = void (*)(void* out, int64_t n);

template <template <typename> class R, bool kMean, typename T>
void SegmentLoop(const void* data, int64_t count, int64_t row, void* out) {
  const T* in = static_cast<const T*>(data);
  T* to = static_cast<T*>(out);
  const auto finish = [count](auto* sums, int64_t n) {
    if constexpr (kMean) DivideBy(count, sums, n);
  };
  if (row == 1) {
    using C = ComputeType<T>;
    C value = R<C>::Initial();
    if (count >= 32) {
      value = ReduceRun<R, C>(in, count);
    } else {
      for (int64_t i = 0; i < count; ++i) {
        value = R<C>::Combine(value, static_cast<C>(in[i]));
      }
    }
    finish(&value, 1);
    *to = static_cast<T>(value);
    return;
  }
  ReduceRows<R>([in, row](int64_t i) { return in + i * row; }, count, to, row,
                finish);
}

template <int kValue, typename T>
void FillWith(void* out, int64_t n) {
  std::fill_n(static_cast<T*>(out), n, static_cast<T>(kValue));
}

}  // namespace

std::vector<int64_t> ReadIds(const Tensor& ids) {
  std::vector<int64_t> out(ids.NumElements());
  if (ids.dtype() == DT_INT16) {
    std::copy_n(ids.base<int16>(), out.size(), out.data());
  } else if (ids.dtype() == DT_INT32) {
    std::copy_n(ids.base<int32>(), out.size(), out.data());
  } else {
    std::copy_n(ids.base<int64_t>(), out.size(), out.data());
  }
  return out;
}

Status FindSegments(absl::string_view op, const Tensor& ids,
                    std::vector<Segment>* segments) {
  const int64_t n = ids.NumElements();
  return ids.dtype() == DT_INT32
             ? FindSegmentsOf(op, ids.base<int32>(), n, segments)
             : FindSegmentsOf(op, ids.base<int64_t>(), n, segments);
}

Status SetSegmentRows(absl::string_view op, int64_t last_id,
                      TensorShape* shape) {
  if (last_id == std::numeric_limits<int64_t>::max()) {
    return errors::InvalidArgument(op, ": segment id ", last_id,
                                   " is too large");
  }
  return shape->SetDimWithStatus(0, last_id + 1);
}

Status CheckIdsBelow(absl::string_view op, absl::string_view name,
                     const std::vector<int64_t>& ids, int64_t limit) {
  for (size_t i = 0; i < ids.size(); ++i) {
    if (ids[i] >= 0 && ids[i] < limit) continue;
    return errors::InvalidArgument(op, ": ", name, "[", i, "] = ", ids[i],
                                   " is out of range [0, ", limit, ")");
  }
  return OkStatus();
}

class SegmentReductionOpBase : public OpKernel {
 public:
  SegmentReductionOpBase(OpKernelConstruction* ctx, SegmentLoopFn loop,
                         SegmentFillFn fill)
      : OpKernel(ctx), loop_(loop), fill_(fill) {}

  void Compute(OpKernelContext* ctx) override {
    const Tensor& data = ctx->input(0);
    const Tensor& ids = ctx->input(1);
    OP_REQUIRES(
        ctx,
        ids.dims() == 1 && data.dims() >= 1 &&
            ids.NumElements() == data.dim_size(0),
        errors::InvalidArgument(type_string(),
                                ": segment_ids should be a vector of the size "
                                "of dimension 0 of data, got ",
                                ids.shape().DebugString(), " and data ",
                                data.shape().DebugString()));
    if (ids.dtype() == DT_INT32) {
      OP_REQUIRES_OK(ctx, Reduce<int32>(ctx, data, ids));
    } else {
      OP_REQUIRES_OK(ctx, Reduce<int64_t>(ctx, data, ids));
    }
  }

 private:
  // Each shard of rows reduces the segments that begin in it.
  template <typename Index>
  Status Reduce(OpKernelContext* ctx, const Tensor& data,
                const Tensor& ids_tensor) {
    const Index* ids = ids_tensor.base<Index>();
    const int64_t n = ids_tensor.NumElements();
    if (!RunWide<AscendingLoop>(ids, n)) {
      // FindSegments fails here, and names the bad id.
      std::vector<Segment> segments;
      return FindSegments(type_string(), ids_tensor, &segments);
    }
    TensorShape shape = data.shape();
    TF_RETURN_IF_ERROR(SetSegmentRows(
        type_string(), n == 0 ? -1 : int64_t{ids[n - 1]}, &shape));
    Tensor* output = nullptr;
    TF_RETURN_IF_ERROR(ctx->allocate_output(0, shape, &output));
    if (output->NumElements() == 0) return OkStatus();
    const int64_t row = output->NumElements() / output->dim_size(0);
    const int64_t bytes = row * DataTypeSize(data.dtype());
    const char* in = data.base<char>();
    char* out = output->base<char>();
    const auto run = [&](int64_t begin, int64_t end) {
      while (begin > 0 && begin < end && ids[begin] == ids[begin - 1]) ++begin;
      for (int64_t first = begin, last; first < end; first = last) {
        const int64_t id = ids[first];
        last = first + 1;
        while (last < n && ids[last] == id) ++last;
        const int64_t gap = first == 0 ? 0 : int64_t{ids[first - 1]} + 1;
        if (gap < id) fill_(out + gap * bytes, (id - gap) * row);
        loop_(in + first * bytes, last - first, row, out + id * bytes);
      }
    };
    ParallelFor(ctx, n, row + 10, std::ref(run));
    return OkStatus();
  }

  const SegmentLoopFn loop_;
  const SegmentFillFn fill_;
};

template <template <typename> class R, int kFill, bool kMean = false>
struct SegmentReduction {
  template <typename T>
  class Op final : public SegmentReductionOpBase {
   public:
    explicit Op(OpKernelConstruction* ctx)
        : SegmentReductionOpBase(ctx, &SegmentLoop<R, kMean, T>,
                                 &FillWith<kFill, T>) {}
  };
};

using SegmentSum = SegmentReduction<SumReducer, 0>;
using SegmentMean = SegmentReduction<SumReducer, 0, /*kMean=*/true>;
using SegmentProd = SegmentReduction<ProdReducer, 1>;
using SegmentMin = SegmentReduction<MinReducer, 0>;
using SegmentMax = SegmentReduction<MaxReducer, 0>;

REGISTER_KERNEL_FOR_TYPES(Name("SegmentSum").Device(DEVICE_CPU), "T",
                          SegmentSum::Op, int8, int16, int32, int64_t, uint8,
                          uint16, uint32, uint64, Eigen::half, Eigen::bfloat16,
                          float, double, complex64, complex128);
REGISTER_KERNEL_FOR_TYPES(Name("SegmentMean").Device(DEVICE_CPU), "T",
                          SegmentMean::Op, int8, int16, int32, int64_t, uint8,
                          uint16, uint32, uint64, Eigen::half, Eigen::bfloat16,
                          float, double, complex64, complex128);
REGISTER_KERNEL_FOR_TYPES(Name("SegmentProd").Device(DEVICE_CPU), "T",
                          SegmentProd::Op, int8, int16, int32, int64_t, uint8,
                          uint16, uint32, uint64, Eigen::half, Eigen::bfloat16,
                          float, double, complex64, complex128);
REGISTER_KERNEL_FOR_TYPES(Name("SegmentMin").Device(DEVICE_CPU), "T",
                          SegmentMin::Op, int8, int16, int32, int64_t, uint8,
                          uint16, uint32, uint64, Eigen::half, Eigen::bfloat16,
                          float, double);
REGISTER_KERNEL_FOR_TYPES(Name("SegmentMax").Device(DEVICE_CPU), "T",
                          SegmentMax::Op, int8, int16, int32, int64_t, uint8,
                          uint16, uint32, uint64, Eigen::half, Eigen::bfloat16,
                          float, double);

}  // namespace tensorwright

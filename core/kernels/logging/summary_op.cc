// SPDX-License-Identifier: Apache-2.0
// ScalarSummary, HistogramSummary and MergeSummary.

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <type_traits>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "core/framework/numeric_types.h"
#include "core/framework/op_kernel.h"
#include "core/framework/summary.pb.h"
#include "core/framework/tensor.h"
#include "core/util/histogram.h"
#include "core/util/work_sharder.h"

namespace tensorwright {
namespace {

void SetSummary(OpKernelContext* ctx, const Summary& summary) {
  Tensor* out = nullptr;
  OP_REQUIRES_OK(ctx, ctx->allocate_output(0, TensorShape(), &out));
  OP_REQUIRES(
      ctx,
      summary.ByteSizeLong() <= size_t{std::numeric_limits<int>::max()} &&
          summary.SerializeToString(out->base<std::string>()),
      errors::InvalidArgument("The summary is larger than a proto may be: ",
                              summary.ByteSizeLong(), " bytes"));
}

template <typename T>
class ScalarSummaryOp final : public OpKernel {
 public:
  using OpKernel::OpKernel;

  void Compute(OpKernelContext* ctx) override {
    const Tensor& tags = ctx->input(0);
    const Tensor& values = ctx->input(1);
    OP_REQUIRES(
        ctx, tags.shape() == values.shape(),
        errors::InvalidArgument(
            "tags and values must have the same shape, got ",
            tags.shape().DebugString(), " and ", values.shape().DebugString(),
            tags.NumElements() == 1
                ? absl::StrCat(" for tag '", *tags.base<std::string>(), "'")
                : ""));
    Summary summary;
    const std::string* tag = tags.base<std::string>();
    const T* value = values.base<T>();
    for (int64_t i = 0; i < tags.NumElements(); ++i) {
      Summary::Value* v = summary.add_value();
      v->set_tag(tag[i]);
      v->set_simple_value(static_cast<float>(value[i]));
    }
    SetSummary(ctx, summary);
  }
  bool IsExpensive() override { return false; }
};

template <typename T>
double ToDouble(T value) {
  if constexpr (std::is_arithmetic_v<T>) {
    return static_cast<double>(value);
  } else {
    return static_cast<double>(static_cast<float>(value));
  }
}

// Adds values[0, n); -1, or the position of one that is not finite.
template <typename T>
int64_t AddFinite(const T* values, int64_t n, histogram::Histogram* histo) {
  constexpr int64_t kBuffer = 512;
  double buffer[kBuffer];
  for (int64_t begin = 0; begin < n; begin += kBuffer) {
    const int64_t size = std::min(kBuffer, n - begin);
    // The difference of a number that is not finite with itself is NaN.
    double odd = 0;
    for (int64_t i = 0; i < size; ++i) {
      buffer[i] = ToDouble(values[begin + i]);
      odd += buffer[i] - buffer[i];
    }
    if (odd != 0) {
      for (int64_t i = 0;; ++i) {
        if (!std::isfinite(buffer[i])) return begin + i;
      }
    }
    histo->Add(absl::MakeConstSpan(buffer, size));
  }
  return -1;
}

template <typename T>
class HistogramSummaryOp final : public OpKernel {
 public:
  using OpKernel::OpKernel;

  void Compute(OpKernelContext* ctx) override {
    const Tensor& tag = ctx->input(0);
    OP_REQUIRES(ctx, tag.dims() == 0,
                errors::InvalidArgument("tag must be a scalar, got shape ",
                                        tag.shape().DebugString()));
    histogram::Histogram histo;
    const T* values = ctx->input(1).base<T>();
    const int64_t n = ctx->input(1).NumElements();
    // Cut up by n alone, and put together in order: sums do not depend on the
    // threads.
    const int64_t block = std::max<int64_t>(1 << 15, n / 256);
    const int64_t blocks = (n + block - 1) / block;
    int64_t bad = -1;
    if (blocks <= 1) {
      bad = AddFinite(values, n, &histo);
    } else {
      std::vector<histogram::Histogram> parts(blocks);
      std::vector<int64_t> bad_in(blocks, -1);
      constexpr int64_t kNanosPerValue = 4;
      ParallelFor(
          ctx, blocks, block * kNanosPerValue, [&](int64_t begin, int64_t end) {
            for (int64_t b = begin; b < end; ++b) {
              const int64_t first = b * block;
              const int64_t size = std::min(block, n - first);
              const int64_t at = AddFinite(values + first, size, &parts[b]);
              if (at >= 0) bad_in[b] = first + at;
            }
          });
      for (int64_t b = 0; b < blocks && bad < 0; ++b) {
        bad = bad_in[b];
        histo.Merge(parts[b]);
      }
    }
    OP_REQUIRES(ctx, bad < 0,
                errors::InvalidArgument(
                    std::isnan(ToDouble(values[bad])) ? "Nan" : "Infinity",
                    " in summary histogram for: ", name(), ", element ", bad));
    Summary summary;
    Summary::Value* v = summary.add_value();
    v->set_tag(*tag.base<std::string>());
    histo.EncodeToProto(v->mutable_histo(), /*preserve_zero_buckets=*/false);
    SetSummary(ctx, summary);
  }
};

REGISTER_KERNEL_FOR_TYPES(Name("ScalarSummary").Device(DEVICE_CPU), "T",
                          ScalarSummaryOp, float, double, int32, uint8, int16,
                          int8, int64, bfloat16, uint16, Eigen::half, uint32,
                          uint64);
REGISTER_KERNEL_FOR_TYPES(Name("HistogramSummary").Device(DEVICE_CPU), "T",
                          HistogramSummaryOp, float, double, int32, uint8,
                          int16, int8, int64, bfloat16, uint16, Eigen::half,
                          uint32, uint64);

// A proto with repeated fields is what its parts are, one behind the other: the
// parts are parsed to see what they are, and not written anew.
class MergeSummaryOp final : public OpKernel {
 public:
  using OpKernel::OpKernel;

  void Compute(OpKernelContext* ctx) override {
    absl::flat_hash_set<std::string> tags;
    std::string merged;
    for (int i = 0; i < ctx->num_inputs(); ++i) {
      for (const std::string& part : Flat<std::string>(ctx->input(i))) {
        Summary summary;
        OP_REQUIRES(ctx, summary.ParseFromString(part),
                    errors::InvalidArgument("inputs[", i,
                                            "] must be serialized summaries, "
                                            "and one could not be parsed"));
        for (const Summary::Value& value : summary.value()) {
          if (value.tag().empty()) continue;
          const auto [tag, is_new] = tags.insert(value.tag());
          OP_REQUIRES(ctx, is_new,
                      errors::InvalidArgument("Duplicate tag ", *tag,
                                              " found in summary inputs"));
        }
        merged += part;
      }
    }
    Tensor* out = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, TensorShape(), &out));
    *out->base<std::string>() = std::move(merged);
  }
};
REGISTER_KERNEL_BUILDER(Name("MergeSummary").Device(DEVICE_CPU),
                        MergeSummaryOp);

}  // namespace
}  // namespace tensorwright

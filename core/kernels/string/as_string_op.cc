// SPDX-License-Identifier: Apache-2.0
// AsString: prints each element as text, by a format of printf's.

#include <cinttypes>
#include <cstdint>
#include <cstdio>
#include <string>

#include "absl/strings/str_cat.h"
#include "core/framework/numeric_types.h"
#include "core/framework/op_kernel.h"
#include "core/lib/core/errors.h"
#include "core/util/work_sharder.h"

namespace tensorwright {
namespace {

// Roughly the nanoseconds that printing a number takes.
constexpr int64_t kCostPerNumber = 200;
// The largest width and precision: no number has more digits.
constexpr int32_t kMaxDigits = 1 << 14;

std::string Print(const char* format, auto value) {
  char small[64];
  const int printed = std::snprintf(small, sizeof(small), format, value);
  const size_t n = printed < 0 ? 0 : static_cast<size_t>(printed);
  if (n < sizeof(small)) return std::string(small, n);
  std::string large(n + 1, '\0');
  std::snprintf(large.data(), large.size(), format, value);
  large.resize(n);
  return large;
}

class AsStringOp final : public OpKernel {
 public:
  explicit AsStringOp(OpKernelConstruction* ctx) : OpKernel(ctx) {
    DataType dtype;
    OP_REQUIRES_OK(ctx, ctx->GetAttr("T", &dtype));
    OP_REQUIRES_OK(ctx, MakeFormat(ctx, dtype));
  }

  void Compute(OpKernelContext* ctx) override {
    const Tensor& input = ctx->input(0);
    Tensor* output = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, input.shape(), &output));
    std::string* out = output->base<std::string>();
    switch (input.dtype()) {
      case DT_INT8:
        return All<int8_t>(ctx, input, out);
      case DT_UINT8:
        return All<uint8_t>(ctx, input, out);
      case DT_INT16:
        return All<int16_t>(ctx, input, out);
      case DT_UINT16:
        return All<uint16_t>(ctx, input, out);
      case DT_INT32:
        return All<int32_t>(ctx, input, out);
      case DT_UINT32:
        return All<uint32_t>(ctx, input, out);
      case DT_INT64:
        return All<int64_t>(ctx, input, out);
      case DT_UINT64:
        return All<uint64_t>(ctx, input, out);
      case DT_BOOL:
        return All<bool>(ctx, input, out);
      case DT_HALF:
        return All<Eigen::half>(ctx, input, out);
      case DT_BFLOAT16:
        return All<Eigen::bfloat16>(ctx, input, out);
      case DT_FLOAT:
        return All<float>(ctx, input, out);
      case DT_DOUBLE:
        return All<double>(ctx, input, out);
      case DT_COMPLEX64:
        return All<complex64>(ctx, input, out);
      case DT_COMPLEX128:
        return All<complex128>(ctx, input, out);
      case DT_STRING:
        return All<std::string>(ctx, input, out);
      default:
        ctx->SetStatus(errors::InvalidArgument(type_string(), ": no text for ",
                                               DataTypeString(input.dtype())));
    }
  }

 private:
  Status MakeFormat(OpKernelConstruction* ctx, DataType dtype) {
    int32_t precision, width;
    bool scientific, shortest;
    std::string fill;
    TF_RETURN_IF_ERROR(ctx->GetAttr("precision", &precision));
    TF_RETURN_IF_ERROR(ctx->GetAttr("scientific", &scientific));
    TF_RETURN_IF_ERROR(ctx->GetAttr("shortest", &shortest));
    TF_RETURN_IF_ERROR(ctx->GetAttr("width", &width));
    TF_RETURN_IF_ERROR(ctx->GetAttr("fill", &fill));
    const bool real = DataTypeIsFloating(dtype) || DataTypeIsComplex(dtype);
    // A text stays as it is, whatever is asked of numbers.
    const bool whole = !real && dtype != DT_STRING;
    if (whole && (scientific || shortest)) {
      return Refused(
          "scientific and shortest format not supported for "
          "datatype ",
          DataTypeString(dtype));
    }
    if (whole && precision >= 0) {
      return Refused("precision not supported for datatype ",
                     DataTypeString(dtype));
    }
    if (scientific && shortest) {
      return Refused("Cannot select both scientific and shortest notation");
    }
    if (fill.size() > 1) {
      return Refused("Fill string must be one or fewer characters, got '", fill,
                     "'");
    }
    if (!fill.empty() && std::string("0-+ ").find(fill) == std::string::npos) {
      return Refused("Fill argument not supported: \"", fill, "\"");
    }
    if (width > kMaxDigits || precision > kMaxDigits) {
      return Refused("width and precision must be at most ", kMaxDigits,
                     ", got ", width, " and ", precision);
    }
    format_.assign(1, '%');
    width_ = width > 0 ? static_cast<size_t>(width) : 0;
    left_ = fill == "-";
    // Without a width, only a fill that is a sign has an effect.
    if (width > -1) {
      absl::StrAppend(&format_, fill, width);
    } else if (fill == "+" || fill == " ") {
      format_ += fill;
    }
    if (precision > -1) absl::StrAppend(&format_, ".", precision);
    if (real) {
      format_ += shortest ? "g" : scientific ? "e" : "f";
    } else {
      format_ += DataTypeIsUnsigned(dtype) ? PRIu64 : PRId64;
    }
    return OkStatus();
  }

  template <typename... Words>
  Status Refused(const Words&... words) const {
    return errors::InvalidArgument(type_string(), ": ", words...);
  }

  template <typename T>
  std::string Text(const T& x) const {
    if constexpr (std::is_same_v<T, std::string>) {
      const size_t blanks = width_ > x.size() ? width_ - x.size() : 0;
      const std::string padding(blanks, ' ');
      return left_ ? x + padding : padding + x;
    } else if constexpr (std::is_same_v<T, bool>) {
      return x ? "true" : "false";
    } else if constexpr (std::is_same_v<T, complex64> ||
                         std::is_same_v<T, complex128>) {
      return absl::StrCat("(", Text(x.real()), ",", Text(x.imag()), ")");
    } else if constexpr (std::is_integral_v<T>) {
      using Wide = std::conditional_t<std::is_signed_v<T>, int64_t, uint64_t>;
      return Print(format_.c_str(), static_cast<Wide>(x));
    } else {
      return Print(format_.c_str(), static_cast<double>(x));
    }
  }

  template <typename T>
  void All(OpKernelContext* ctx, const Tensor& input, std::string* out) const {
    const T* x = input.base<T>();
    ParallelFor(ctx, input.NumElements(), kCostPerNumber,
                [=, this](int64_t start, int64_t limit) {
                  for (int64_t i = start; i < limit; ++i) out[i] = Text(x[i]);
                });
  }

  std::string format_;
  // Used for strings, which the format does not print.
  size_t width_ = 0;
  bool left_ = false;
};
REGISTER_KERNEL_BUILDER(Name("AsString").Device(DEVICE_CPU), AsStringOp);

}  // namespace
}  // namespace tensorwright

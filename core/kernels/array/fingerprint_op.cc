// SPDX-License-Identifier: Apache-2.0
// Fingerprint: eight bytes for each slice of the first dimension.

#include <cstdint>
#include <cstring>
#include <string>

#include "absl/strings/string_view.h"
#include "core/framework/op_kernel.h"
#include "core/framework/tensor.h"
#include "core/lib/core/errors.h"
#include "core/platform/fingerprint.h"
#include "core/util/work_sharder.h"

namespace tensorwright {
namespace {

constexpr int64_t kBytes = sizeof(uint64_t);

// Little-endian, as on every machine that this runs on.
void Put(absl::string_view bytes, uint8_t* to) {
  const uint64_t print = Fingerprint64(bytes);
  std::memcpy(to, &print, kBytes);
}

// For strings: the fingerprint of a single one, or of the fingerprints of
// several in a slice.
void PrintStrings(const tstring* data, int64_t in_slice, int64_t begin,
                  int64_t end, uint8_t* to) {
  std::string prints(in_slice * kBytes, '\0');
  for (int64_t i = begin; i < end; ++i) {
    const tstring* slice = data + i * in_slice;
    if (in_slice == 1) {
      Put(*slice, to + i * kBytes);
      continue;
    }
    for (int64_t j = 0; j < in_slice; ++j) {
      Put(slice[j], reinterpret_cast<uint8_t*>(&prints[j * kBytes]));
    }
    Put(prints, to + i * kBytes);
  }
}

}  // namespace

class FingerprintOp final : public OpKernel {
 public:
  using OpKernel::OpKernel;

  void Compute(OpKernelContext* ctx) override {
    const Tensor& data = ctx->input(0);
    const tstring& method = *ctx->input(1).base<tstring>();
    OP_REQUIRES(ctx, method == "farmhash64",
                errors::InvalidArgument(
                    "Fingerprint: method must be \"farmhash64\", got \"",
                    std::string(method), "\""));
    const bool strings = data.dtype() == DT_STRING;
    const int element = strings ? 1 : DataTypeSize(data.dtype());
    OP_REQUIRES(
        ctx, element > 0,
        errors::InvalidArgument("Fingerprint: data of type ",
                                DataTypeString(data.dtype()), " has no bytes"));
    const int64_t n = data.dim_size(0);
    Tensor* out = nullptr;
    OP_REQUIRES_OK(ctx,
                   ctx->allocate_output(0, TensorShape({n, kBytes}), &out));
    if (n == 0) return;
    const int64_t in_slice = data.NumElements() / n;
    uint8_t* const to = out->base<uint8_t>();
    ParallelFor(
        ctx, n, 50 + in_slice * (strings ? 50 : element),
        [&](int64_t begin, int64_t end) {
          if (strings) {
            PrintStrings(data.base<tstring>(), in_slice, begin, end, to);
            return;
          }
          const int64_t size = in_slice * element;
          const char* bytes = data.tensor_data().data();
          for (int64_t i = begin; i < end; ++i) {
            Put({bytes + i * size, static_cast<size_t>(size)}, to + i * kBytes);
          }
        });
  }
};

REGISTER_KERNEL_BUILDER(
    Name("Fingerprint").Device(DEVICE_CPU).HostMemory("method"), FingerprintOp);

}  // namespace tensorwright

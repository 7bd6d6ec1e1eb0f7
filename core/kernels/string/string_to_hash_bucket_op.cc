// SPDX-License-Identifier: Apache-2.0
// StringToHashBucket and the like: they hash each string modulo the number of
// buckets.  The hashes are part of the ops' meaning, because the weights of
// models depend on them.

#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "core/framework/op_kernel.h"
#include "core/kernels/lib/sip_hash.h"
#include "core/lib/core/errors.h"
#include "core/lib/hash/hash.h"
#include "core/platform/fingerprint.h"
#include "core/util/work_sharder.h"

namespace tensorwright {
namespace {

// Roughly the nanoseconds for hashing a short string.
constexpr int64_t kCostPerString = 20;

template <typename Hash>
void HashAll(OpKernelContext* ctx, int64_t num_buckets, const Hash& hash) {
  const Tensor& input = ctx->input(0);
  Tensor* output = nullptr;
  OP_REQUIRES_OK(ctx, ctx->allocate_output(0, input.shape(), &output));
  const std::string* from = input.base<std::string>();
  int64_t* to = output->base<int64_t>();
  ParallelFor(ctx, input.NumElements(), kCostPerString,
              [=, &hash](int64_t start, int64_t limit) {
                for (int64_t i = start; i < limit; ++i) {
                  to[i] = static_cast<int64_t>(
                      hash(from[i]) % static_cast<uint64_t>(num_buckets));
                }
              });
}

class HashBucketOp : public OpKernel {
 public:
  explicit HashBucketOp(OpKernelConstruction* ctx) : OpKernel(ctx) {
    OP_REQUIRES_OK(ctx, ctx->GetAttr("num_buckets", &num_buckets_));
  }

 protected:
  int64_t num_buckets_ = 1;
};

class LegacyOp final : public HashBucketOp {
 public:
  using HashBucketOp::HashBucketOp;
  void Compute(OpKernelContext* ctx) override {
    HashAll(ctx, num_buckets_, [](const std::string& s) { return Hash64(s); });
  }
};
REGISTER_KERNEL_BUILDER(Name("StringToHashBucket").Device(DEVICE_CPU),
                        LegacyOp);

class FastOp final : public HashBucketOp {
 public:
  using HashBucketOp::HashBucketOp;
  void Compute(OpKernelContext* ctx) override {
    HashAll(ctx, num_buckets_,
            [](const std::string& s) { return Fingerprint64(s); });
  }
};
REGISTER_KERNEL_BUILDER(Name("StringToHashBucketFast").Device(DEVICE_CPU),
                        FastOp);

class StrongOp final : public HashBucketOp {
 public:
  explicit StrongOp(OpKernelConstruction* ctx) : HashBucketOp(ctx) {
    OP_REQUIRES_OK(ctx, ctx->GetAttr("key", &key_));
    OP_REQUIRES(
        ctx, key_.size() == 2,
        errors::InvalidArgument(
            type_string(), ": Key must have 2 elements, got ", key_.size()));
  }
  void Compute(OpKernelContext* ctx) override {
    HashAll(ctx, num_buckets_,
            SipHash(static_cast<uint64_t>(key_[0]),
                    static_cast<uint64_t>(key_[1])));
  }

 private:
  std::vector<int64_t> key_;
};
REGISTER_KERNEL_BUILDER(Name("StringToHashBucketStrong").Device(DEVICE_CPU),
                        StrongOp);

}  // namespace
}  // namespace tensorwright

// SPDX-License-Identifier: Apache-2.0
// StringToHashBucket and its kin: a hash of each string, modulo the number of
// buckets.  The hashes are part of the ops' meaning: models keep what they say.

#include <bit>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "core/framework/op_kernel.h"
#include "core/lib/core/errors.h"
#include "core/lib/hash/hash.h"
#include "core/platform/fingerprint.h"
#include "core/util/work_sharder.h"

namespace tensorwright {
namespace {

// Nanoseconds of a short string's hash.
constexpr int64_t kCostPerString = 20;

// SipHash-2-4 (Aumasson, Bernstein: SipHash: a fast short-input PRF, 2012).
class SipHash {
 public:
  SipHash(uint64_t k0, uint64_t k1)
      : v0_(k0 ^ 0x736f6d6570736575),
        v1_(k1 ^ 0x646f72616e646f6d),
        v2_(k0 ^ 0x6c7967656e657261),
        v3_(k1 ^ 0x7465646279746573) {}

  uint64_t operator()(absl::string_view s) const {
    static_assert(std::endian::native == std::endian::little);
    SipHash state = *this;
    const size_t whole = s.size() / 8 * 8;
    uint64_t word;
    for (size_t i = 0; i < whole; i += 8) {
      std::memcpy(&word, s.data() + i, 8);
      state.Compress(word);
    }
    // The rest, with the length in the last byte.
    word = 0;
    std::memcpy(&word, s.data() + whole, s.size() - whole);
    state.Compress(word | static_cast<uint64_t>(s.size()) << 56);
    state.v2_ ^= 0xff;
    for (int i = 0; i < 4; ++i) state.Round();
    return state.v0_ ^ state.v1_ ^ state.v2_ ^ state.v3_;
  }

 private:
  void Compress(uint64_t word) {
    v3_ ^= word;
    Round();
    Round();
    v0_ ^= word;
  }
  void Round() {
    v0_ += v1_;
    v1_ = std::rotl(v1_, 13) ^ v0_;
    v0_ = std::rotl(v0_, 32);
    v2_ += v3_;
    v3_ = std::rotl(v3_, 16) ^ v2_;
    v0_ += v3_;
    v3_ = std::rotl(v3_, 21) ^ v0_;
    v2_ += v1_;
    v1_ = std::rotl(v1_, 17) ^ v2_;
    v2_ = std::rotl(v2_, 32);
  }

  uint64_t v0_, v1_, v2_, v3_;
};

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

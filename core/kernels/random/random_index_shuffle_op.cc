// SPDX-License-Identifier: Apache-2.0
// RandomIndexShuffle: the place of a number in a random order of [0,
// max_index], without making the order.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>

#include "core/framework/op_kernel.h"
#include "core/framework/tensor.h"
#include "core/kernels/lib/element_dispatch.h"
#include "core/lib/core/errors.h"
#include "core/util/work_sharder.h"

namespace tensorwright {
namespace {

using ShuffleKey = std::array<uint32_t, 3>;

// The block cipher Simon (Beaulieu et al., "The Simon and Speck families of
// lightweight block ciphers", 2013) of blocks of two words, 8 to 32 bits each,
// and a key of three words, in few rounds: it permutes the numbers of a block.
class Simon {
 public:
  Simon(int word_bits, const ShuffleKey& key, int rounds)
      : bits_(word_bits),
        mask_(static_cast<uint32_t>((uint64_t{1} << word_bits) - 1)),
        key_(key),
        rounds_(rounds) {}

  uint64_t Encrypt(uint64_t block) const {
    uint32_t x = static_cast<uint32_t>(block >> bits_) & mask_;
    uint32_t y = static_cast<uint32_t>(block) & mask_;
    // The keys of the last three rounds, the oldest first.  Later keys are
    // made on the way: there may be any number of rounds.
    uint32_t keys[3] = {key_[0] & mask_, key_[1] & mask_, key_[2] & mask_};
    uint64_t constants = kConstants & ((uint64_t{1} << bits_) - 1);
    for (int round = 0; round < rounds_; ++round) {
      if (round >= 3) {
        const uint32_t next =
            keys[0] ^ RotateRight(keys[2], 3) ^ RotateRight(keys[2], 4) ^
            static_cast<uint32_t>(constants & 1) ^ (~uint32_t{3} & mask_);
        constants >>= 1;
        keys[0] = keys[1];
        keys[1] = keys[2];
        keys[2] = next;
      }
      const uint32_t key = keys[std::min(round, 2)];
      const uint32_t mixed =
          x ^ (RotateLeft(y, 1) & RotateLeft(y, 8)) ^ RotateLeft(y, 2) ^ key;
      x = y;
      y = mixed;
    }
    return uint64_t{x} << bits_ | y;
  }

 private:
  // The bits that the keys after the third are mixed with, the first the
  // lowest.
  static constexpr uint64_t kConstants = 0x7369f885192c0ef5;

  uint32_t RotateLeft(uint32_t x, int n) const {
    return ((x << n) | (x >> (bits_ - n))) & mask_;
  }
  uint32_t RotateRight(uint32_t x, int n) const {
    return RotateLeft(x, bits_ - n);
  }

  const int bits_;
  const uint32_t mask_;
  const ShuffleKey key_;
  const int rounds_;
};

// Half the number of bits of a block: that of the logarithm of max_index,
// rounded as TensorFlow rounds it, and 8 at least.
int WordBits(uint64_t max_index) {
  const int bits =
      static_cast<int>(std::ceil(std::log2(static_cast<double>(max_index))));
  return (std::max(bits, 16) + 1) / 2;
}

// Numbers beyond max_index are encrypted again: that is a permutation of the
// others.  A power of 4 needs one bit more than its blocks have, and so do
// numbers just above one whose logarithm is rounded down: they stay where they
// are.
uint64_t ShuffleIndex(uint64_t index, const ShuffleKey& key, uint64_t max_index,
                      int rounds) {
  if (max_index == 0) return 0;
  const int bits = WordBits(max_index);
  if (bits < 32 && index >> (2 * bits) != 0) return index;
  const Simon cipher(bits, key, rounds);
  do {
    index = cipher.Encrypt(index);
  } while (index > max_index);
  return index;
}

template <typename T>
ShuffleKey ReadKey(const T* seed) {
  return {static_cast<uint32_t>(seed[0]), static_cast<uint32_t>(seed[1]),
          static_cast<uint32_t>(seed[2])};
}

ShuffleKey KeyOf(const Tensor& seed, int64_t row) {
  switch (seed.dtype()) {
    case DT_INT32:
      return ReadKey(seed.base<int32_t>() + 3 * row);
    case DT_UINT32:
      return ReadKey(seed.base<uint32_t>() + 3 * row);
    case DT_INT64:
      return ReadKey(seed.base<int64_t>() + 3 * row);
    default:
      return ReadKey(seed.base<uint64_t>() + 3 * row);
  }
}

}  // namespace

template <typename T>
class RandomIndexShuffleOp final : public OpKernel {
 public:
  explicit RandomIndexShuffleOp(OpKernelConstruction* ctx) : OpKernel(ctx) {
    OP_REQUIRES_OK(ctx, ctx->GetAttr("rounds", &rounds_));
    OP_REQUIRES(
        ctx, rounds_ >= 4 && rounds_ % 2 == 0,
        errors::InvalidArgument(
            "RandomIndexShuffle: rounds must be >= 4 and even, got ", rounds_));
  }

  // The shape function has compared the sizes of what has rows.
  void Compute(OpKernelContext* ctx) override {
    const Tensor& index = ctx->input(0);
    const Tensor& seed = ctx->input(1);
    const Tensor& max_index = ctx->input(2);
    const bool many[3] = {index.dims() == 1, seed.dims() == 2,
                          max_index.dims() == 1};
    TensorShape shape;
    for (int i = 0; i < 3; ++i) {
      if (many[i]) shape = TensorShape({ctx->input(i).dim_size(0)});
    }
    Tensor* output = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, shape, &output));
    const T* const from = index.base<T>();
    const T* const most = max_index.base<T>();
    T* const to = output->base<T>();
    for (int64_t i = 0; i < shape.num_elements(); ++i) {
      const T x = from[many[0] ? i : 0], last = most[many[2] ? i : 0];
      OP_REQUIRES(ctx, x >= T(0) && x <= last,
                  errors::InvalidArgument(
                      "RandomIndexShuffle: index must be in [0, max_index], "
                      "got ",
                      x, " and max_index ", last));
    }
    constexpr int64_t kCyclesOfRound = 20;
    ParallelFor(ctx, shape.num_elements(), 2 * kCyclesOfRound * rounds_,
                [&](int64_t begin, int64_t end) {
                  for (int64_t i = begin; i < end; ++i) {
                    to[i] = static_cast<T>(ShuffleIndex(
                        static_cast<uint64_t>(from[many[0] ? i : 0]),
                        KeyOf(seed, many[1] ? i : 0),
                        static_cast<uint64_t>(most[many[2] ? i : 0]), rounds_));
                  }
                });
  }

 private:
  int rounds_ = 4;
};

REGISTER_KERNEL_FOR_TYPES(Name("RandomIndexShuffle").Device(DEVICE_CPU),
                          "dtype", RandomIndexShuffleOp, int32_t, uint32_t,
                          int64_t, uint64_t);

}  // namespace tensorwright

// SPDX-License-Identifier: Apache-2.0
// Philox 4x32-10, the counter-based generator of Salmon et al., "Parallel
// Random Numbers: As Easy as 1, 2, 3" (SC 2011).
#ifndef TENSORWRIGHT_CORE_LIB_RANDOM_PHILOX_RANDOM_H_
#define TENSORWRIGHT_CORE_LIB_RANDOM_PHILOX_RANDOM_H_

#include <cstdint>

// The generator also runs in CUDA kernels.
#ifdef __CUDACC__
#define PHILOX_DEVICE_FUNC __host__ __device__
#else
#define PHILOX_DEVICE_FUNC
#endif
#define PHILOX_DEVICE_INLINE PHILOX_DEVICE_FUNC inline

namespace tensorwright {
namespace random {

// A std::array for GPUs too, initially zero.
template <typename T, int ElementCount>
class Array {
 public:
  static constexpr int kElementCount = ElementCount;

  PHILOX_DEVICE_INLINE T& operator[](int i) { return data_[i]; }
  PHILOX_DEVICE_INLINE const T& operator[](int i) const { return data_[i]; }
  PHILOX_DEVICE_INLINE constexpr int size() const { return ElementCount; }

 private:
  T data_[ElementCount] = {};
};

// Ten rounds over a 128-bit counter with a 64-bit key.  Each call gives four
// 32-bit numbers and adds one to the counter, so the stream can be entered
// anywhere: Skip(n) passes over n calls in constant time. So threads share one
// stream and still give the numbers that one thread would.
class PhiloxRandom {
 public:
  static constexpr int kResultElementCount = 4;
  static constexpr int kElementCost = 10;  // About the CPU cycles for a number.
  using ResultElementType = uint32_t;
  using ResultType = Array<uint32_t, 4>;
  using Key = Array<uint32_t, 2>;

  PHILOX_DEVICE_INLINE PhiloxRandom() : PhiloxRandom(0) {}
  PHILOX_DEVICE_INLINE explicit PhiloxRandom(uint64_t seed)
      : PhiloxRandom(seed, 0) {}
  // `stream` is the counter's upper half, which calls never reach.
  PHILOX_DEVICE_INLINE PhiloxRandom(uint64_t seed, uint64_t stream) {
    Split(seed, &key_[0], &key_[1]);
    Split(stream, &counter_[2], &counter_[3]);
  }
  PHILOX_DEVICE_INLINE PhiloxRandom(ResultType counter, Key key)
      : counter_(counter), key_(key) {}

  PHILOX_DEVICE_INLINE const ResultType& counter() const { return counter_; }
  PHILOX_DEVICE_INLINE const Key& key() const { return key_; }

  // Passes over `count` calls.
  PHILOX_DEVICE_INLINE void Skip(uint64_t count) {
    const uint64_t low = (uint64_t{counter_[1]} << 32 | counter_[0]) + count;
    Split(low, &counter_[0], &counter_[1]);
    if (low < count && ++counter_[2] == 0) ++counter_[3];
  }

  PHILOX_DEVICE_INLINE ResultType operator()() {
    ResultType block = counter_;
    // The halves of the key grow by the golden ratio and by sqrt(3) - 1, in
    // units of 2^-32.
    uint32_t key0 = key_[0], key1 = key_[1];
    for (int round = 0; round < 10; ++round) {
      const uint64_t product0 = uint64_t{0xD2511F53} * block[0];
      const uint64_t product1 = uint64_t{0xCD9E8D57} * block[2];
      block[0] = High(product1) ^ block[1] ^ key0;
      block[1] = static_cast<uint32_t>(product1);
      block[2] = High(product0) ^ block[3] ^ key1;
      block[3] = static_cast<uint32_t>(product0);
      key0 += 0x9E3779B9;
      key1 += 0xBB67AE85;
    }
    Skip(1);
    return block;
  }

 private:
  PHILOX_DEVICE_INLINE static uint32_t High(uint64_t x) {
    return static_cast<uint32_t>(x >> 32);
  }
  PHILOX_DEVICE_INLINE static void Split(uint64_t x, uint32_t* low,
                                         uint32_t* high) {
    *low = static_cast<uint32_t>(x);
    *high = High(x);
  }

  ResultType counter_;
  Key key_;
};

}  // namespace random
}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_LIB_RANDOM_PHILOX_RANDOM_H_

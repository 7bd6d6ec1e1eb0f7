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

// A fixed-size array that works on a GPU too.
template <typename T, int ElementCount>
class Array {
 public:
  static constexpr int kElementCount = ElementCount;

  PHILOX_DEVICE_INLINE Array() {
    for (int i = 0; i < ElementCount; ++i) data_[i] = T(0);
  }
  PHILOX_DEVICE_INLINE const T& operator[](int i) const { return data_[i]; }
  PHILOX_DEVICE_INLINE T& operator[](int i) { return data_[i]; }
  PHILOX_DEVICE_INLINE int size() const { return ElementCount; }

 private:
  T data_[ElementCount];
};

// Ten rounds over a 128-bit counter with a 64-bit key.  Each call gives four
// 32-bit numbers and adds one to the counter, so the stream can be entered
// anywhere: Skip(n) passes over n calls in constant time. That is how threads
// share one stream and still give the numbers one thread would.
class PhiloxRandom {
 public:
  using ResultType = Array<uint32_t, 4>;
  using ResultElementType = uint32_t;
  using Key = Array<uint32_t, 2>;
  static constexpr int kResultElementCount = 4;
  // CPU cycles a call, about.
  static constexpr int kElementCost = 10;

  PHILOX_DEVICE_INLINE PhiloxRandom() {}
  PHILOX_DEVICE_INLINE explicit PhiloxRandom(uint64_t seed) {
    key_[0] = static_cast<uint32_t>(seed);
    key_[1] = static_cast<uint32_t>(seed >> 32);
  }
  // `seed_hi` becomes the upper half of the counter: another stream.
  PHILOX_DEVICE_INLINE PhiloxRandom(uint64_t seed_lo, uint64_t seed_hi)
      : PhiloxRandom(seed_lo) {
    counter_[2] = static_cast<uint32_t>(seed_hi);
    counter_[3] = static_cast<uint32_t>(seed_hi >> 32);
  }
  PHILOX_DEVICE_INLINE PhiloxRandom(ResultType counter, Key key)
      : counter_(counter), key_(key) {}

  PHILOX_DEVICE_INLINE const ResultType& counter() const { return counter_; }
  PHILOX_DEVICE_INLINE const Key& key() const { return key_; }

  // Passes over `count` calls.
  PHILOX_DEVICE_INLINE void Skip(uint64_t count) {
    const uint32_t count_hi = static_cast<uint32_t>(count >> 32);
    const uint64_t lo = uint64_t{counter_[0]} + static_cast<uint32_t>(count);
    const uint64_t hi = uint64_t{counter_[1]} + count_hi + (lo >> 32);
    counter_[0] = static_cast<uint32_t>(lo);
    counter_[1] = static_cast<uint32_t>(hi);
    if (hi >> 32 != 0 && ++counter_[2] == 0) ++counter_[3];
  }

  PHILOX_DEVICE_INLINE ResultType operator()() {
    ResultType counter = counter_;
    Key key = key_;
    for (int round = 0; round < 9; ++round) {
      Round(&counter, key);
      key[0] += 0x9E3779B9;
      key[1] += 0xBB67AE85;
    }
    Round(&counter, key);
    Skip(1);
    return counter;
  }

 private:
  PHILOX_DEVICE_INLINE static void Round(ResultType* c, const Key& key) {
    const uint64_t p0 = uint64_t{0xD2511F53} * (*c)[0];
    const uint64_t p1 = uint64_t{0xCD9E8D57} * (*c)[2];
    ResultType r;
    r[0] = static_cast<uint32_t>(p1 >> 32) ^ (*c)[1] ^ key[0];
    r[1] = static_cast<uint32_t>(p1);
    r[2] = static_cast<uint32_t>(p0 >> 32) ^ (*c)[3] ^ key[1];
    r[3] = static_cast<uint32_t>(p0);
    *c = r;
  }

  ResultType counter_;
  Key key_;
};

}  // namespace random
}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_LIB_RANDOM_PHILOX_RANDOM_H_

// SPDX-License-Identifier: Apache-2.0
// Fills arrays from a place of a Philox stream, with several threads.
//
// The values are TensorFlow's, and do not depend on the number of threads: the
// array is cut into groups, one for each call of a distribution, and each group
// has its own place in the stream.
#ifndef TENSORWRIGHT_CORE_KERNELS_LIB_RANDOM_FILL_H_
#define TENSORWRIGHT_CORE_KERNELS_LIB_RANDOM_FILL_H_

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "core/framework/op_kernel.h"
#include "core/lib/random/philox_random.h"
#include "core/lib/random/random_distributions.h"
#include "core/util/work_sharder.h"

namespace tensorwright {

// The number of calls of the generator reserved for an output: distributions
// that reject samples may use them, the others reserve them to stay in step.
inline constexpr int kReservedSamplesPerOutput = 256;

// The numbers of a PhiloxRandom, made eight calls at a time: the lanes are
// independent, so the compiler uses vectors.
class BufferedPhilox {
 public:
  static constexpr int kResultElementCount =
      random::PhiloxRandom::kResultElementCount;
  using ResultType = random::PhiloxRandom::ResultType;
  using ResultElementType = random::PhiloxRandom::ResultElementType;

  explicit BufferedPhilox(const random::PhiloxRandom& gen) : gen_(gen) {}

  ResultType operator()() {
    if (used_ == kLanes) Refill();
    ResultType sample;
    for (int i = 0; i < kResultElementCount; ++i) sample[i] = words_[i][used_];
    ++used_;
    return sample;
  }

 private:
  static constexpr int kLanes = 8;

  void Refill() {
    uint32_t c[kResultElementCount][kLanes];
    for (int lane = 0; lane < kLanes; ++lane) {
      for (int i = 0; i < kResultElementCount; ++i) {
        c[i][lane] = gen_.counter()[i];
      }
      gen_.Skip(1);
    }
    uint32_t key0 = gen_.key()[0], key1 = gen_.key()[1];
    for (int round = 0; round < 10; ++round) {
      for (int lane = 0; lane < kLanes; ++lane) {
        const uint64_t p0 = uint64_t{0xD2511F53} * c[0][lane];
        const uint64_t p1 = uint64_t{0xCD9E8D57} * c[2][lane];
        c[0][lane] = static_cast<uint32_t>(p1 >> 32) ^ c[1][lane] ^ key0;
        c[1][lane] = static_cast<uint32_t>(p1);
        c[2][lane] = static_cast<uint32_t>(p0 >> 32) ^ c[3][lane] ^ key1;
        c[3][lane] = static_cast<uint32_t>(p0);
      }
      key0 += 0x9E3779B9;
      key1 += 0xBB67AE85;
    }
    std::memcpy(words_, c, sizeof(words_));
    used_ = 0;
  }

  random::PhiloxRandom gen_;
  uint32_t words_[kResultElementCount][kLanes];
  int used_ = kLanes;
};

// Fills groups [begin, end) of data[0, size).
template <typename Distribution, typename T>
void FillGroups(random::PhiloxRandom gen, Distribution dist, int64_t begin,
                int64_t end, int64_t size, T* data) {
  constexpr int kGroup = Distribution::kResultElementCount;
  if constexpr (!Distribution::kVariableSamplesPerOutput) gen.Skip(begin);
  BufferedPhilox buffered(gen);
  for (int64_t group = begin; group < end; ++group) {
    const int64_t offset = group * kGroup;
    typename Distribution::ResultType samples;
    if constexpr (Distribution::kVariableSamplesPerOutput) {
      random::PhiloxRandom own = gen;
      own.Skip(group * (kGroup * kReservedSamplesPerOutput /
                        random::PhiloxRandom::kResultElementCount));
      random::SingleSampleAdapter<random::PhiloxRandom> single(&own);
      samples = dist(&single);
    } else {
      samples = dist(&buffered);
    }
    const int64_t n = std::min<int64_t>(kGroup, size - offset);
    for (int64_t i = 0; i < n; ++i) data[offset + i] = samples[i];
  }
}

// Fills data[0, size) from the generator's place.  A distribution over
// SingleSampleAdapter<PhiloxRandom> may reject samples; the others take a
// BufferedPhilox.
template <typename Distribution, typename T>
void FillRandom(OpKernelContext* ctx, const random::PhiloxRandom& gen,
                Distribution dist, T* data, int64_t size) {
  constexpr int kGroup = Distribution::kResultElementCount;
  constexpr int64_t kCost =
      kGroup * Distribution::kElementCost + random::PhiloxRandom::kElementCost;
  ParallelFor(ctx, (size + kGroup - 1) / kGroup, kCost,
              [=](int64_t begin, int64_t end) {
                FillGroups(gen, dist, begin, end, size, data);
              });
}

// Gives the numbers of a distribution one at a time, those of each call in
// reverse, as TensorFlow's rejection samplers take them.
template <typename Distribution>
class OneByOne {
 public:
  explicit OneByOne(random::PhiloxRandom* gen) : gen_(gen) {}

  typename Distribution::ResultElementType operator()() {
    if (left_ == 0) {
      block_ = distribution_(gen_);
      left_ = Distribution::kResultElementCount;
    }
    return block_[--left_];
  }

 private:
  random::PhiloxRandom* gen_;
  Distribution distribution_;
  typename Distribution::ResultType block_;
  int left_ = 0;
};
using UniformsOneByOne =
    OneByOne<random::UniformDistribution<random::PhiloxRandom, double>>;
using NormalsOneByOne =
    OneByOne<random::NormalDistribution<random::PhiloxRandom, double>>;

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_KERNELS_LIB_RANDOM_FILL_H_

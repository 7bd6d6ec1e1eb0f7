// SPDX-License-Identifier: Apache-2.0
// GuardedPhiloxRandom: the random stream of a stateful kernel, shared by its
// concurrent calls.
#ifndef TENSORWRIGHT_CORE_UTIL_GUARDED_PHILOX_RANDOM_H_
#define TENSORWRIGHT_CORE_UTIL_GUARDED_PHILOX_RANDOM_H_

#include <cstdint>

#include "core/lib/core/status.h"
#include "core/lib/random/philox_random.h"
#include "core/platform/mutex.h"

namespace tensorwright {

class OpKernelConstruction;

// Each call of a kernel reserves a stretch of the stream and works on its own
// copy of the generator, so the numbers of the n-th call do not depend on
// threads.
class GuardedPhiloxRandom {
 public:
  GuardedPhiloxRandom() = default;
  GuardedPhiloxRandom(const GuardedPhiloxRandom&) = delete;
  GuardedPhiloxRandom& operator=(const GuardedPhiloxRandom&) = delete;

  // Seeds it, once, before any use.  With a context, takes the attrs "seed" and
  // "seed2"; if both are 0, every process gets another stream.
  Status Init(OpKernelConstruction* context);
  void Init(int64_t seed, int64_t seed2);
  void Init(random::PhiloxRandom::ResultType counter,
            random::PhiloxRandom::Key key);

  // A generator at the current place; the place moves on by `samples` calls.
  random::PhiloxRandom ReserveSamples128(int64_t samples);
  // A generator for up to `samples` numbers of 32 bits.
  random::PhiloxRandom ReserveSamples32(int64_t samples) {
    return ReserveSamples128((samples + 3) / 4);
  }
  // A generator for `output_count` outputs that may draw `multiplier` calls
  // each.
  random::PhiloxRandom ReserveRandomOutputs(int64_t output_count,
                                            int multiplier) {
    return ReserveSamples128(output_count * multiplier);
  }

 private:
  mutex mu_;
  random::PhiloxRandom generator_ TF_GUARDED_BY(mu_);
  bool initialized_ = false;
};

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_UTIL_GUARDED_PHILOX_RANDOM_H_

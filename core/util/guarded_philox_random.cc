// SPDX-License-Identifier: Apache-2.0
// Seeds a kernel's random stream and hands out stretches of it.
#include "core/util/guarded_philox_random.h"

#include "core/framework/op_kernel.h"
#include "core/lib/core/errors.h"
#include "core/lib/random/random.h"
#include "core/platform/logging.h"

namespace tensorwright {

Status GuardedPhiloxRandom::Init(OpKernelConstruction* context) {
  int64_t seed, seed2;
  TF_RETURN_IF_ERROR(context->GetAttr("seed", &seed));
  TF_RETURN_IF_ERROR(context->GetAttr("seed2", &seed2));
  Init(seed, seed2);
  return OkStatus();
}

void GuardedPhiloxRandom::Init(int64_t seed, int64_t seed2) {
  if (seed == 0 && seed2 == 0) {
    seed = static_cast<int64_t>(random::New64());
    seed2 = static_cast<int64_t>(random::New64());
  }
  mutex_lock l(mu_);
  CHECK(!initialized_);
  generator_ = random::PhiloxRandom(static_cast<uint64_t>(seed),
                                    static_cast<uint64_t>(seed2));
  initialized_ = true;
}

void GuardedPhiloxRandom::Init(random::PhiloxRandom::ResultType counter,
                               random::PhiloxRandom::Key key) {
  mutex_lock l(mu_);
  CHECK(!initialized_);
  generator_ = random::PhiloxRandom(counter, key);
  initialized_ = true;
}

random::PhiloxRandom GuardedPhiloxRandom::ReserveSamples128(int64_t samples) {
  mutex_lock l(mu_);
  CHECK(initialized_);
  const random::PhiloxRandom reserved = generator_;
  generator_.Skip(static_cast<uint64_t>(samples));
  return reserved;
}

}  // namespace tensorwright

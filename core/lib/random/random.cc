// SPDX-License-Identifier: Apache-2.0
// Seeds from the operating system.
#include "core/lib/random/random.h"

#include <random>

#include "core/platform/mutex.h"

namespace tensorwright {
namespace random {
namespace {

// Never destroyed, since kernels of detached threads may still ask.
struct Source {
  explicit Source(std::mt19937_64 e) : engine(e) {}
  uint64_t Next() {
    mutex_lock l(mu);
    return engine();
  }
  mutex mu;
  std::mt19937_64 engine;
};

std::mt19937_64 SeededByDevice() {
  std::random_device device;
  std::seed_seq seed{device(), device(), device(), device(),
                     device(), device(), device(), device()};
  return std::mt19937_64(seed);
}

}  // namespace

uint64_t New64() {
  static Source* const source = new Source(SeededByDevice());
  return source->Next();
}

uint64_t New64DefaultSeed() {
  static Source* const source = new Source(std::mt19937_64());
  return source->Next();
}

}  // namespace random
}  // namespace tensorwright

// SPDX-License-Identifier: Apache-2.0
// Seeds that nobody can predict.
#ifndef TENSORWRIGHT_CORE_LIB_RANDOM_RANDOM_H_
#define TENSORWRIGHT_CORE_LIB_RANDOM_RANDOM_H_

#include <cstdint>

namespace tensorwright {
namespace random {

// 64 random bits; another sequence in every process.  Thread-safe.
uint64_t New64();
// The same sequence in every process.
uint64_t New64DefaultSeed();

}  // namespace random
}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_LIB_RANDOM_RANDOM_H_

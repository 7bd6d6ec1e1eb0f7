// SPDX-License-Identifier: Apache-2.0
// An allocator that gives a session no more than its policy allows.
#ifndef TENSORWRIGHT_CORE_COMMON_RUNTIME_LIMITED_ALLOCATOR_H_
#define TENSORWRIGHT_CORE_COMMON_RUNTIME_LIMITED_ALLOCATOR_H_

#include <cstdint>
#include <memory>
#include <string>

#include "core/framework/allocator.h"

namespace tensorwright {

// Passes on what `inner`, which is never destroyed and knows the sizes of its
// pieces, gives, unless one piece has more than `max_piece` bytes, or all that
// it gave and did not get back more than `max_total`; 0: no such limit.
// `name` is its Name(), which errors quote; if this thread's last allocation
// would have exceeded `max_total`, Name() says once which ops have the memory
// (memory_in_use.h).  Threads that allocate at the same time never exceed
// `max_total` together.
//
// Tensors that were fetched outlive their session, so the allocator lives until
// the result and all memory that it gave are gone.
std::shared_ptr<Allocator> NewLimitedAllocator(Allocator* inner,
                                               std::string name,
                                               int64_t max_piece,
                                               int64_t max_total);

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_COMMON_RUNTIME_LIMITED_ALLOCATOR_H_

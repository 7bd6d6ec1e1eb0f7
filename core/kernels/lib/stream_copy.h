// SPDX-License-Identifier: Apache-2.0
// Copies past the caches, for outputs too large to stay in them: a line that is
// written so is not read from memory first.
#ifndef TENSORWRIGHT_CORE_KERNELS_LIB_STREAM_COPY_H_
#define TENSORWRIGHT_CORE_KERNELS_LIB_STREAM_COPY_H_

#include <cstdint>

namespace tensorwright {

// Is an output of so many bytes worth it, on this processor?
bool IsStreamed(int64_t bytes);

// to[0, bytes) = from[0, bytes).  A thread calls FinishStreams after its last
// call.
void StreamCopy(const void* from, int64_t bytes, void* to);

// Makes this thread's streamed data visible to other threads.
void FinishStreams();

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_KERNELS_LIB_STREAM_COPY_H_

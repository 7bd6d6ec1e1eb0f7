// SPDX-License-Identifier: Apache-2.0
// Copies past the caches, for outputs too large to stay in them: a line that is
// written so is not read from memory first.
#ifndef TENSORWRIGHT_CORE_KERNELS_LIB_STREAM_COPY_H_
#define TENSORWRIGHT_CORE_KERNELS_LIB_STREAM_COPY_H_

#include <cstdint>

namespace tensorwright {

// Whether an output of so many bytes is worth it, on this processor.
bool IsStreamed(int64_t bytes);

// to[0, bytes) = from[0, bytes).  The last call of a thread is followed by
// FinishStreams.
void StreamCopy(const void* from, int64_t bytes, void* to);

// Other threads see what this one has streamed.
void FinishStreams();

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_KERNELS_LIB_STREAM_COPY_H_

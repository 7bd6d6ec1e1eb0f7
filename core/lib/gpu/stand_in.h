// SPDX-License-Identifier: Apache-2.0
// How device code that was compiled for the CPU gets into the streams of the
// stand-in, a driver that needs no GPU.
#ifndef TENSORWRIGHT_CORE_LIB_GPU_STAND_IN_H_
#define TENSORWRIGHT_CORE_LIB_GPU_STAND_IN_H_

#include <functional>

#include "core/lib/core/status.h"

struct CUstream_st;

namespace tensorwright::gpu::stand_in {

// Runs `work` on the stream's thread, after what was enqueued before it, and
// returns at once.  Work for a device that has failed is dropped.  A null
// stream, which tests use, runs it here and now.  Thread safe.
void Enqueue(CUstream_st* stream, std::function<void()> work);

// Called by enqueued work that finds an error, such as a barrier that not all
// threads reach: from here on the stream's device answers every call with
// `error`, as a GPU does after a fault.  Elsewhere it only logs the error.
void ReportError(const Status& error);

}  // namespace tensorwright::gpu::stand_in

#endif  // TENSORWRIGHT_CORE_LIB_GPU_STAND_IN_H_

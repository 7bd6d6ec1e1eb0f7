// SPDX-License-Identifier: Apache-2.0
// Loads the library that makes GPUs usable, a plugin with devices and kernels.
#ifndef TENSORWRIGHT_CORE_COMMON_RUNTIME_GPU_LIBRARY_H_
#define TENSORWRIGHT_CORE_COMMON_RUNTIME_GPU_LIBRARY_H_

#include "core/lib/core/status.h"

namespace tensorwright {

// Loads it at the first call, for good; it registers a device factory and
// kernels.  The environment says which:
//   TW_GPU unset     libtensorwright_gpu.so beside this library, if it is
//                    there; one that does not load is logged;
//   TW_GPU=stand-in  libtensorwright_gpu_stand_in.so beside this library, which
//                    computes on the CPU what a GPU would;
//   TW_GPU=off       none;
//   TW_GPU_LIBRARY   the file to load, instead of one beside this library.
// Each call returns the same.  InvalidArgument: TW_GPU has another value;
// NotFound: what the environment asks for is not there or cannot be loaded;
// FailedPrecondition: it was built for another version.  Hold no lock of a
// registry.
Status LoadGpuLibrary();

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_COMMON_RUNTIME_GPU_LIBRARY_H_

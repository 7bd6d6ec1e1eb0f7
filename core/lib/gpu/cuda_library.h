// SPDX-License-Identifier: Apache-2.0
// Opens libraries of CUDA by name when they are needed, so that a program
// starts without them.
#ifndef TENSORWRIGHT_CORE_LIB_GPU_CUDA_LIBRARY_H_
#define TENSORWRIGHT_CORE_LIB_GPU_CUDA_LIBRARY_H_

#include <string>

#include "absl/types/span.h"
#include "core/lib/core/status.h"

namespace tensorwright::gpu {

// Opens the first of `names`, as libcublas.so.13, that is there: in the folders
// of the environment variable TW_CUDA_LIBRARIES, separated by colons, and then
// where the system looks.  It stays open.  NotFound, with all names and the
// reason of the last one, if there is none.
Status OpenCudaLibrary(absl::Span<const char* const> names, void** library);

// Finds a function of an open library.  NotFound, naming it, if it is missing.
Status FindFunction(void* library, const char* name, void** function);

template <typename F>
Status FindFunction(void* library, const char* name, F** function) {
  return FindFunction(library, name, reinterpret_cast<void**>(function));
}

}  // namespace tensorwright::gpu

#endif  // TENSORWRIGHT_CORE_LIB_GPU_CUDA_LIBRARY_H_

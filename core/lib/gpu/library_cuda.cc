// SPDX-License-Identifier: Apache-2.0
#include <dlfcn.h>

#include <cstdlib>
#include <string>
#include <vector>

#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "core/lib/core/errors.h"
#include "core/lib/gpu/cuda_library.h"

namespace tensorwright::gpu {

Status OpenCudaLibrary(absl::Span<const char* const> names, void** library) {
  std::vector<std::string> folders;
  if (const char* listed = std::getenv("TW_CUDA_LIBRARIES")) {
    folders = absl::StrSplit(listed, ':', absl::SkipEmpty());
    for (std::string& folder : folders) folder += "/";
  }
  folders.push_back("");  // The system's places.
  std::string reason;
  for (const std::string& folder : folders) {
    for (const char* name : names) {
      *library = dlopen((folder + name).c_str(), RTLD_NOW | RTLD_LOCAL);
      if (*library != nullptr) return OkStatus();
      if (const char* error = dlerror()) reason = error;
    }
  }
  return errors::NotFound("The GPU needs ", absl::StrJoin(names, " or "),
                          ", which is in none of the folders of "
                          "TW_CUDA_LIBRARIES and not where the "
                          "system looks: ",
                          reason);
}

Status FindFunction(void* library, const char* name, void** function) {
  *function = dlsym(library, name);
  if (*function != nullptr) return OkStatus();
  return errors::NotFound("A library of CUDA lacks the function ", name);
}

}  // namespace tensorwright::gpu

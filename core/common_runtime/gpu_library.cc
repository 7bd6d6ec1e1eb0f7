// SPDX-License-Identifier: Apache-2.0
// LoadGpuLibrary.
#include "core/common_runtime/gpu_library.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <unistd.h>

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "core/framework/library_stamp.h"
#include "core/framework/op_library.h"
#include "core/lib/core/errors.h"

namespace tensorwright {
namespace {

std::string FromEnvironment(const char* name) {
  const char* text = getenv(name);
  return text == nullptr ? std::string() : std::string(text);
}

std::string FolderOf(const std::string& file) {
  const size_t slash = file.rfind('/');
  return slash == std::string::npos ? "." : file.substr(0, slash);
}

// The folders that this library's code may be said to be in: that of the name
// by which it was loaded, and that of the file which a link there leads to.
std::vector<std::string> OwnFolders() {
  Dl_info info;
  if (dladdr(reinterpret_cast<const void*>(&LoadGpuLibrary), &info) == 0 ||
      info.dli_fname == nullptr) {
    return {};
  }
  std::vector<std::string> folders = {FolderOf(info.dli_fname)};
  if (char* real = realpath(info.dli_fname, nullptr)) {
    const std::string folder = FolderOf(real);
    if (folder != folders[0]) folders.push_back(folder);
    free(real);
  }
  return folders;
}

bool IsThere(const std::string& file) {
  return access(file.c_str(), R_OK) == 0;
}

// A library in which this package's own registrations are cannot be taken back,
// so the stamp is read before it is loaded.  It uses more than what is promised
// to libraries of ops, and must be of this very version.
Status Load(const std::string& file) {
  std::string stamp;
  TF_RETURN_IF_ERROR(ReadLibraryStamp(file, &stamp));
  if (!stamp.empty() && stamp != TENSORWRIGHT_LIBRARY_STAMP) {
    return errors::FailedPrecondition(
        file, " was built for another version of this package: it says ", stamp,
        ", and this is ", TENSORWRIGHT_LIBRARY_STAMP);
  }
  if (dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL) != nullptr) return OkStatus();
  return errors::NotFound("The GPU library cannot be loaded: ", dlerror());
}

Status FindAndLoad() {
  const std::string choice = FromEnvironment("TW_GPU");
  if (choice == "off") return OkStatus();
  const bool stand_in = choice == "stand-in";
  if (!choice.empty() && !stand_in) {
    return errors::InvalidArgument("TW_GPU=", choice,
                                   ": it may be 'stand-in', 'off', or not set");
  }
  const std::string asked = FromEnvironment("TW_GPU_LIBRARY");
  if (!asked.empty()) {
    if (!IsThere(asked)) {
      return errors::NotFound("TW_GPU_LIBRARY=", asked, ": no such file");
    }
    return Load(asked);
  }
  const std::string name =
      absl::StrCat("libtensorwright_gpu", stand_in ? "_stand_in" : "", ".so");
  const std::vector<std::string> folders = OwnFolders();
  for (const std::string& folder : folders) {
    const std::string file = absl::StrCat(folder, "/", name);
    if (!IsThere(file)) continue;
    const Status status = Load(file);
    if (stand_in || status.ok()) return status;
    LOG(WARNING) << status.message() << "; GPUs are not used";
    return OkStatus();
  }
  if (!stand_in) return OkStatus();
  return errors::NotFound("TW_GPU=stand-in: no ", name, " in ",
                          absl::StrJoin(folders, " or "),
                          "; TW_GPU_LIBRARY can say where it is");
}

}  // namespace

Status LoadGpuLibrary() {
  static const Status& status = *new Status(FindAndLoad());
  return status;
}

}  // namespace tensorwright

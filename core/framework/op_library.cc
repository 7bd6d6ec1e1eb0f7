// SPDX-License-Identifier: Apache-2.0
// Loads a library of ops: reads its stamp, calls dlopen, then checks all it
// registered before any of that counts.
#include "core/framework/op_library.h"

#include <dlfcn.h>

#include <algorithm>
#include <fstream>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/strip.h"
#include "absl/synchronization/mutex.h"
#include "core/framework/library_stamp.h"
#include "core/framework/library_trial.h"
#include "core/framework/staged_registrations.h"
#include "core/framework/symbol_name.h"
#include "core/lib/core/catch_exceptions.h"
#include "core/lib/core/errors.h"
#include "core/lib/core/version.h"
#include "core/platform/env.h"
#include "core/platform/logging.h"

namespace tensorwright {
namespace {

// ---- dlopen
// ------------------------------------------------------------------

// The part of `text` behind `marker`, up to the next space or comma; empty if
// there is no marker.
std::string After(absl::string_view text, absl::string_view marker) {
  const size_t at = text.find(marker);
  if (at == absl::string_view::npos) return "";
  text.remove_prefix(at + marker.size());
  return std::string(text.substr(0, text.find_first_of(" ,\n")));
}

// Tells what the loader's complaint means, and what to do.
Status ExplainLoader(const std::string& file, const std::string& complaint,
                     const std::string& stamp) {
  const std::string symbol = After(complaint, "undefined symbol: ");
  if (!symbol.empty()) {
    const std::string name = DemangledName(symbol.c_str());
    if (absl::StrContains(name, "tensorflow::") ||
        absl::StrContains(name, "tsl::") || absl::StartsWith(name, "TF_")) {
      return errors::NotFound(file, " was built for TensorFlow (it uses ", name,
                              "), not for tensorwright: ", kHowToBuild);
    }
    // A stamp would have shown another version, so the missing symbol is the
    // author's own, in the namespace that his code shares with ours.
    if (absl::StrContains(name, "tensorwright::") && stamp.empty()) {
      return errors::NotFound(
          file, " was built for another tensorwright than this, which is ",
          TENSORWRIGHT_VERSION_STRING, " and has no ", name, ": ", kHowToBuild);
    }
    return errors::NotFound(file, " uses ", name,
                            ", which neither it nor tensorwright defines: "
                            "define it, or link the library that has it");
  }
  const std::string missing_marker =
      ": cannot open shared object file: No such file or directory";
  const size_t at = complaint.find(missing_marker);
  if (at != std::string::npos) {
    const std::string missing = complaint.substr(0, at);
    if (missing == file) return errors::NotFound(file, ": no such file");
    if (absl::StrContains(missing, "tensorflow")) {
      return errors::NotFound(file, " was built for TensorFlow (it needs ",
                              missing,
                              "), not for tensorwright: ", kHowToBuild);
    }
    return errors::NotFound(file, " needs ", missing,
                            ", which is not there: install it, or add its "
                            "folder to LD_LIBRARY_PATH");
  }
  return errors::NotFound(
      file, " cannot be loaded: ",
      absl::StripPrefix(complaint, absl::StrCat(file, ": ")),
      stamp.empty() ? "; it is no library of ops for this machine" : "");
}

// ---- Loading
// ------------------------------------------------------------------

// The libraries that have been loaded, in order.  Loading takes the lock for as
// long as it takes.
struct Libraries {
  absl::Mutex mu;
  std::vector<LoadedLibrary> all ABSL_GUARDED_BY(mu);
  int last_id ABSL_GUARDED_BY(mu) = 0;

  static Libraries* Global() {
    static Libraries* const libraries = new Libraries;
    return libraries;
  }
};

// Opens `file`; `staged` then has what it registers.
Status Open(const std::string& file, const std::string& stamp,
            const std::vector<std::string>& before, void** handle) {
  // Libraries linked by TensorFlow 1.3's recipe do not name ours: it has to be
  // visible to all before they are loaded.
  dlopen("libtensorwright.so", RTLD_NOW | RTLD_NOLOAD | RTLD_GLOBAL);
  Status opened;
  const auto open = [&] {
    opened = Env::Default()->LoadLibrary(file.c_str(), handle);
  };
  // If it is loaded already, no initializer runs.
  if (void* loaded = dlopen(file.c_str(), RTLD_NOW | RTLD_NOLOAD)) {
    dlclose(loaded);
  } else {
    TF_RETURN_IF_ERROR(TryLibrary(file, before));
  }
  const Status thrown = CatchExceptions(
      open, [&] { return absl::StrCat("A static initializer of ", file); });
  if (!thrown.ok()) {
    // The trial did not throw, but this did.  The loader was left with its lock
    // held: the next thread that loads anything would wait forever.
    LOG(FATAL) << thrown.message() << ": the process cannot go on after that";
  }
  if (!opened.ok()) return ExplainLoader(file, opened.error_message(), stamp);
  return OkStatus();
}

// Loads `file` as the library `made`, in the place of `earlier` if that is not
// null.
Status Load(const std::string& file, const LoadedLibrary* earlier,
            const std::vector<std::string>& before, LoadedLibrary* made) {
  std::string stamp;
  // A name without a slash is looked up by dlopen in places that only it knows.
  if (absl::StrContains(file, "/") || std::ifstream(file)) {
    TF_RETURN_IF_ERROR(ReadLibraryStamp(file, &stamp));
    TF_RETURN_IF_ERROR(CheckLibraryStamp(file, stamp));
  }
  StagedRegistrations staged;
  void* handle = nullptr;
  TF_RETURN_IF_ERROR(Open(file, stamp, before, &handle));
  Meeting meeting;
  const Status status = CheckRegistrations(*made, earlier, &staged, &meeting);
  if (!status.ok()) {
    // The code that they point to goes next.
    staged.ops.clear();
    staged.kernels.clear();
    staged.entries.clear();
    dlclose(handle);
    return errors::WithMessage(status,
                               absl::StrCat(file, ": ", status.message()));
  }
  for (const OpDefBuilder& op : staged.ops) {
    const bool is_known = meeting.known.contains(op.name());
    (is_known ? made->known : made->added).push_back(op.name());
  }
  std::sort(made->added.begin(), made->added.end());
  std::sort(made->known.begin(), made->known.end());
  CommitRegistrations(&staged, meeting, earlier);
  return OkStatus();
}

}  // namespace

Status LoadOpLibrary(const std::string& file, const LoadOptions& options,
                     LibraryOps* ops) {
  *ops = LibraryOps();
  Libraries* const libraries = Libraries::Global();
  absl::MutexLock lock(&libraries->mu);
  std::vector<std::string> before;
  for (const LoadedLibrary& one : libraries->all) before.push_back(one.file);
  LoadedLibrary made{file, libraries->last_id + 1, options.overrides, {}, {}};
  TF_RETURN_IF_ERROR(Load(file, nullptr, before, &made));
  ops->added = made.added;
  ops->known = made.known;
  ++libraries->last_id;
  const bool is_known = absl::c_any_of(
      libraries->all,
      [&](const LoadedLibrary& one) { return one.file == file; });
  if (!is_known) libraries->all.push_back(std::move(made));
  return OkStatus();
}

Status LoadOpLibrary(const std::string& file, LibraryOps* ops) {
  return LoadOpLibrary(file, LoadOptions(), ops);
}

Status ReloadOpLibrary(const std::string& file, const std::string& copy,
                       LibraryOps* ops) {
  *ops = LibraryOps();
  Libraries* const libraries = Libraries::Global();
  absl::MutexLock lock(&libraries->mu);
  std::vector<std::string> before;
  LoadedLibrary* earlier = nullptr;
  for (LoadedLibrary& one : libraries->all) {
    if (one.file == file) {
      earlier = &one;
    } else {
      before.push_back(one.file);
    }
  }
  if (earlier == nullptr) {
    return errors::NotFound(file, " is not loaded: load it first");
  }
  LoadedLibrary made{file, libraries->last_id + 1, earlier->overrides, {}, {}};
  const Status status = Load(copy, earlier, before, &made);
  if (!status.ok()) {
    // Whoever asked knows the file, not its copy.
    return errors::WithMessage(
        status, absl::StrReplaceAll(status.message(), {{copy, file}}));
  }
  ops->added = made.added;
  ops->known = made.known;
  ++libraries->last_id;
  *earlier = std::move(made);
  return OkStatus();
}

}  // namespace tensorwright

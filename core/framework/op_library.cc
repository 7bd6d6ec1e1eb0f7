// SPDX-License-Identifier: Apache-2.0
// Loads a library of ops: reads its stamp, calls dlopen, then checks all it
// registered before any of that counts.
#include "core/framework/op_library.h"

#include <dlfcn.h>
#include <elf.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <iterator>
#include <memory>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "absl/synchronization/mutex.h"
#include "core/framework/library_stamp.h"
#include "core/framework/library_trial.h"
#include "core/framework/op.h"
#include "core/framework/op_def_util.h"
#include "core/framework/op_registration.h"
#include "core/framework/staged_registrations.h"
#include "core/framework/symbol_name.h"
#include "core/lib/core/catch_exceptions.h"
#include "core/lib/core/errors.h"
#include "core/lib/core/version.h"
#include "core/platform/env.h"
#include "core/platform/logging.h"

namespace tensorwright {
namespace {

constexpr absl::string_view kHowToBuild =
    "compile its source again, with the flags of "
    "tf.sysconfig.get_compile_flags() and get_link_flags(), or by `tw build`";

// ---- The stamp
// ---------------------------------------------------------------

// Copies a T at `offset` of `bytes`; false if it is not all there.
template <typename T>
bool ReadAt(const std::string& bytes, uint64_t offset, T* out) {
  if (offset > bytes.size() || bytes.size() - offset < sizeof(T)) return false;
  std::memcpy(out, bytes.data() + offset, sizeof(T));
  return true;
}

Status Damaged(const std::string& file) {
  return errors::InvalidArgument(
      file, " is damaged: a part of the file is missing; build it again");
}

// InvalidArgument if `bytes` are not all of the library that its header
// describes.
Status CheckWhole(const std::string& file, const std::string& bytes,
                  const Elf64_Ehdr& header) {
  // The loader maps the segments that the program headers name, and touching a
  // page behind the file's end would end the process.
  for (uint64_t i = 0; i < header.e_phnum; ++i) {
    Elf64_Phdr segment;
    if (header.e_phoff > bytes.size() ||
        !ReadAt(bytes, header.e_phoff + i * sizeof segment, &segment) ||
        (segment.p_type == PT_LOAD &&
         (segment.p_offset > bytes.size() ||
          segment.p_filesz > bytes.size() - segment.p_offset))) {
      return Damaged(file);
    }
  }
  // The section headers stand at the end: a library that has lost them has been
  // cut off.  Without its stamp it would be loaded unseen.
  if (header.e_shnum > 0 && (header.e_shoff > bytes.size() ||
                             uint64_t{header.e_shnum} * header.e_shentsize >
                                 bytes.size() - header.e_shoff)) {
    return Damaged(file);
  }
  return OkStatus();
}

// The bytes of the section `name`; empty if there is none, or none in the file.
absl::string_view SectionBytes(const std::string& bytes,
                               const Elf64_Ehdr& header, const char* name) {
  const size_t name_size = std::strlen(name) + 1;  // With the NUL.
  const auto section = [&](uint64_t i, Elf64_Shdr* out) {
    return i < header.e_shnum && header.e_shentsize >= sizeof(Elf64_Shdr) &&
           header.e_shoff <= bytes.size() &&
           ReadAt(bytes, header.e_shoff + i * header.e_shentsize, out);
  };
  Elf64_Shdr names, s;
  if (!section(header.e_shstrndx, &names)) return "";
  for (uint64_t i = 0; section(i, &s); ++i) {
    const uint64_t at = names.sh_offset + s.sh_name;
    if (names.sh_offset > bytes.size() || at > bytes.size() ||
        bytes.compare(at, name_size, name, name_size)) {
      continue;
    }
    if (s.sh_type == SHT_NOBITS || s.sh_offset > bytes.size() ||
        s.sh_size > bytes.size() - s.sh_offset) {
      return "";
    }
    return absl::string_view(bytes.data() + s.sh_offset, s.sh_size);
  }
  return "";
}

// The value of "key=value;" in a stamp; "?" if there is none.
std::string Field(absl::string_view stamp, absl::string_view key) {
  const size_t at = stamp.find(absl::StrCat(key, "="));
  if (at == absl::string_view::npos) return "?";
  stamp.remove_prefix(at + key.size() + 1);
  return std::string(stamp.substr(0, stamp.find(';')));
}

// "0.1.2" as {"0.1", 2}; the number is -1 if there is none.
std::pair<absl::string_view, int> SplitVersion(absl::string_view version) {
  const size_t at = version.rfind('.');
  int patch = -1;
  if (at == absl::string_view::npos ||
      !absl::SimpleAtoi(version.substr(at + 1), &patch)) {
    return {version, -1};
  }
  return {version.substr(0, at), patch};
}

Status CheckStamp(const std::string& file, const std::string& stamp) {
  const std::string ours = TENSORWRIGHT_LIBRARY_STAMP;
  if (stamp.empty() || StampFits(stamp, ours)) return OkStatus();
  std::string difference;
  if (Field(stamp, "version") == Field(ours, "version") &&
      Field(stamp, "abi") != Field(ours, "abi")) {
    difference = absl::StrCat(" (interface ", Field(stamp, "abi"),
                              ", this is interface ", Field(ours, "abi"), ")");
  } else if (Field(stamp, "cxx11_abi") != Field(ours, "cxx11_abi")) {
    difference = absl::StrCat(
        " with -D_GLIBCXX_USE_CXX11_ABI=", Field(stamp, "cxx11_abi"),
        " (this needs ", Field(ours, "cxx11_abi"), ")");
  }
  return errors::FailedPrecondition(file, " was built for tensorwright ",
                                    Field(stamp, "version"), difference,
                                    " and cannot be loaded into tensorwright ",
                                    Field(ours, "version"), ": ", kHowToBuild);
}

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

// ---- The library's registrations
// ---------------------------------------------

bool IsOurExample(const OpRegistrationData& op) {
  return op.location.file != nullptr &&
         absl::StartsWith(op.location.file, "user_ops/");
}

std::string At(SourceLocation location) {
  return absl::StrCat(location.file == nullptr ? "?" : location.file, ":",
                      location.line);
}

// Op `name` of the library, and the one of that name that is there.
Status OtherDefinition(const OpRegistrationData& mine,
                       const OpRegistrationData& other) {
  return errors::AlreadyExists(
      "Op ", mine.op_def.name(), ", which is registered at ", At(mine.location),
      " as ", SummarizeOpDef(mine.op_def), ", is there already, registered at ",
      At(other.location), " as ", SummarizeOpDef(other.op_def),
      "; give it another name");
}

// How a library's registrations stand to those that are there.
struct Meeting {
  // Examples that it takes over.
  std::vector<std::string> replaced;
  // Ops that are there with the same definition.
  absl::flat_hash_set<std::string> known;
  // Kernels, by number, of ops in `known` that have such a kernel.
  absl::flat_hash_set<size_t> needless_kernels;
};

// Checks everything.
Status Check(const StagedRegistrations& staged, Meeting* meeting) {
  absl::flat_hash_map<std::string, std::unique_ptr<OpRegistrationData>> ops;
  for (const OpDefBuilder& builder : staged.ops) {
    auto made = std::make_unique<OpRegistrationData>();
    // A copy is finalized: the builder itself is registered later.
    TF_RETURN_IF_ERROR(OpDefBuilder(builder).Finalize(made.get()));
    const std::string name = made->op_def.name();
    const SourceLocation location = made->location;
    const auto [twin, is_new] = ops.emplace(name, std::move(made));
    if (!is_new) {
      return errors::AlreadyExists("Op ", name, " is registered twice, at ",
                                   At(twin->second->location), " and at ",
                                   At(location), "; give one another name");
    }
    const OpRegistrationData* other = OpRegistry::Global()->LookUp(name);
    if (other == nullptr) continue;
    if (IsOurExample(*other)) {
      meeting->replaced.push_back(name);
    } else if (SameOpDef(twin->second->op_def, other->op_def)) {
      meeting->known.insert(name);
    } else {
      return OtherDefinition(*twin->second, *other);
    }
  }
  for (size_t i = 0; i < staged.kernels.size(); ++i) {
    const PendingKernel& kernel = staged.kernels[i];
    const auto own = ops.find(kernel.builder.op());
    const bool is_own = own != ops.end();
    TF_RETURN_IF_ERROR(CheckPendingKernel(
        kernel, is_own ? own->second.get()
                       : OpRegistry::Global()->LookUp(kernel.builder.op())));
    for (size_t j = 0; j < i; ++j) {
      if (staged.kernels[j].builder.op() == kernel.builder.op()) {
        TF_RETURN_IF_ERROR(CheckPendingKernels(staged.kernels[j], kernel));
      }
    }
    const bool is_known = meeting->known.contains(kernel.builder.op());
    if (is_own && !is_known) continue;
    const Status met = CheckAgainstRegistered(kernel);
    if (is_known && errors::IsAlreadyExists(met)) {
      meeting->needless_kernels.insert(i);
    } else {
      TF_RETURN_IF_ERROR(met);
    }
  }
  return CheckPendingEntries(staged.entries);
}

void Commit(StagedRegistrations* staged, const Meeting& meeting) {
  for (const std::string& name : meeting.replaced) HideKernels(name);
  for (OpDefBuilder& op : staged->ops) {
    if (meeting.known.contains(op.name())) continue;
    OpRegistry::Global()->Replace(std::move(op));
  }
  for (size_t i = 0; i < staged->kernels.size(); ++i) {
    if (meeting.needless_kernels.contains(i)) continue;
    CommitKernel(std::move(staged->kernels[i]));
  }
  for (PendingEntry& entry : staged->entries) CommitEntry(std::move(entry));
}

}  // namespace

bool StampFits(absl::string_view stamp, absl::string_view ours) {
  if (stamp == ours) return true;
  for (const char* key : {"abi", "cxx11_abi"}) {
    if (Field(stamp, key) != Field(ours, key)) return false;
  }
  const std::string their_version = Field(stamp, "version");
  const std::string our_version = Field(ours, "version");
  const auto [their_release, their_patch] = SplitVersion(their_version);
  const auto [our_release, our_patch] = SplitVersion(our_version);
  return their_release == our_release && their_patch >= 0 &&
         their_patch <= our_patch;
}

Status ReadLibraryStamp(const std::string& file, std::string* stamp) {
  stamp->clear();
  std::ifstream in(file, std::ios::binary);
  if (!in) return errors::NotFound(file, ": no such file");
  const std::string bytes{std::istreambuf_iterator<char>(in), {}};
  Elf64_Ehdr header;
  if (!ReadAt(bytes, 0, &header) ||
      std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 ||
      header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_machine != EM_X86_64) {
    return errors::InvalidArgument(file,
                                   " is no shared library for this machine");
  }
  TF_RETURN_IF_ERROR(CheckWhole(file, bytes, header));
  // One stamp per source, with zeros between.  If the sources of one library
  // differ in version, the library is as wrong as one of a wrong version, so
  // the first stamp that differs counts.
  absl::string_view all = SectionBytes(bytes, header, "tensorwright_stamp");
  while (!all.empty()) {
    const absl::string_view one = all.substr(0, all.find('\0'));
    all.remove_prefix(std::min(all.size(), one.size() + 1));
    if (one.empty()) continue;
    if (stamp->empty() || *stamp == TENSORWRIGHT_LIBRARY_STAMP) {
      *stamp = std::string(one);
    }
  }
  return OkStatus();
}

Status LoadOpLibrary(const std::string& file, LibraryOps* ops) {
  *ops = LibraryOps();
  std::string stamp;
  // A name without a slash is looked up by dlopen in places that only it knows.
  if (absl::StrContains(file, "/") || std::ifstream(file)) {
    TF_RETURN_IF_ERROR(ReadLibraryStamp(file, &stamp));
    TF_RETURN_IF_ERROR(CheckStamp(file, stamp));
  }

  static absl::Mutex one_at_a_time(absl::kConstInit);
  absl::MutexLock lock(&one_at_a_time);
  static auto& all_loaded = *new std::vector<std::string>;
  // Libraries linked by TensorFlow 1.3's recipe do not name ours: it has to be
  // visible to all before they are loaded.
  dlopen("libtensorwright.so", RTLD_NOW | RTLD_NOLOAD | RTLD_GLOBAL);
  StagedRegistrations staged;
  void* handle = nullptr;
  Status opened;
  const auto open = [&] {
    opened = Env::Default()->LoadLibrary(file.c_str(), &handle);
  };
  // If it is loaded already, no initializer runs.
  if (void* loaded = dlopen(file.c_str(), RTLD_NOW | RTLD_NOLOAD)) {
    dlclose(loaded);
  } else {
    TF_RETURN_IF_ERROR(TryLibrary(file, all_loaded));
  }
  const Status thrown = CatchExceptions(
      open, [&] { return absl::StrCat("A static initializer of ", file); });
  if (!thrown.ok()) {
    // The trial did not throw, but this did.  The loader was left with its lock
    // held: the next thread that loads anything would wait forever.
    LOG(FATAL) << thrown.message() << ": the process cannot go on after that";
  }
  if (!opened.ok()) return ExplainLoader(file, opened.error_message(), stamp);
  Meeting meeting;
  const Status status = Check(staged, &meeting);
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
    (is_known ? ops->known : ops->added).push_back(op.name());
  }
  std::sort(ops->added.begin(), ops->added.end());
  std::sort(ops->known.begin(), ops->known.end());
  Commit(&staged, meeting);
  all_loaded.push_back(file);
  return OkStatus();
}

}  // namespace tensorwright

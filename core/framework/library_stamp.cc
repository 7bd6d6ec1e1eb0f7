// SPDX-License-Identifier: Apache-2.0
// Reads a library's stamp out of its file, before any of its code runs.
#include "core/framework/library_stamp.h"

#include <elf.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "core/framework/op_library.h"
#include "core/lib/core/errors.h"

namespace tensorwright {
namespace {

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

// "0.1.2" as {0, 1, 2}; empty if it is no version.
std::vector<int> Numbers(absl::string_view version) {
  std::vector<int> numbers;
  for (absl::string_view part : absl::StrSplit(version, '.')) {
    int number = -1;
    if (!absl::SimpleAtoi(part, &number) || number < 0) return {};
    numbers.push_back(number);
  }
  if (numbers.size() != 3) numbers.clear();
  return numbers;
}

}  // namespace

Status CheckLibraryStamp(const std::string& file, const std::string& stamp) {
  const std::string ours = TENSORWRIGHT_LIBRARY_STAMP;
  if (stamp.empty() || StampFits(stamp, ours)) return OkStatus();
  std::string difference;
  if (Field(stamp, "abi") != Field(ours, "abi")) {
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

bool StampFits(absl::string_view stamp, absl::string_view ours) {
  if (stamp == ours) return true;
  for (const char* key : {"abi", "cxx11_abi"}) {
    if (Field(stamp, key) != Field(ours, key)) return false;
  }
  const std::vector<int> theirs = Numbers(Field(stamp, "version"));
  return !theirs.empty() && theirs <= Numbers(Field(ours, "version"));
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

}  // namespace tensorwright

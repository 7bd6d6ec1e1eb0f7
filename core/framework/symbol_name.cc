// SPDX-License-Identifier: Apache-2.0
// Finds C++ names: dladdr for exported functions, else the ELF symbol table.
#include "core/framework/symbol_name.h"

#include <cxxabi.h>
#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>

#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"

namespace tensorwright {
namespace {

// A file mapped for reading.
class MappedFile {
 public:
  explicit MappedFile(const char* path) {
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return;
    struct stat st;
    if (fstat(fd, &st) == 0 && st.st_size > 0) {
      void* p = mmap(nullptr, st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
      if (p != MAP_FAILED) {
        data_ = static_cast<const char*>(p);
        size_ = st.st_size;
      }
    }
    close(fd);
  }
  ~MappedFile() {
    if (data_ != nullptr) munmap(const_cast<char*>(data_), size_);
  }
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  // `count` objects at `offset`; null if the file does not hold them.
  template <typename T>
  const T* At(uint64_t offset, uint64_t count = 1) const {
    if (offset > size_ || count > (size_ - offset) / sizeof(T)) return nullptr;
    return reinterpret_cast<const T*>(data_ + offset);
  }
  // The string there; empty if it does not end within the file.
  const char* StringAt(uint64_t offset) const {
    for (uint64_t i = offset; i < size_; ++i) {
      if (data_[i] == '\0') return data_ + offset;
    }
    return "";
  }

 private:
  const char* data_ = nullptr;
  uint64_t size_ = 0;
};

// The mangled name of the function that starts at `address` - `base` in the
// file's .symtab; empty if there is none.
std::string LookUpInSymbolTable(const char* path, uint64_t address,
                                uint64_t base) {
  MappedFile file(path);
  const auto* header = file.At<Elf64_Ehdr>(0);
  if (header == nullptr || header->e_ident[EI_CLASS] != ELFCLASS64) return "";
  // Programs that are not position-independent hold absolute addresses.
  const uint64_t target = header->e_type == ET_EXEC ? address : address - base;
  const auto* sections = file.At<Elf64_Shdr>(header->e_shoff, header->e_shnum);
  if (sections == nullptr) return "";
  for (int i = 0; i < header->e_shnum; ++i) {
    const Elf64_Shdr& table = sections[i];
    if (table.sh_type != SHT_SYMTAB || table.sh_link >= header->e_shnum) {
      continue;
    }
    const uint64_t count = table.sh_size / sizeof(Elf64_Sym);
    const auto* symbols = file.At<Elf64_Sym>(table.sh_offset, count);
    if (symbols == nullptr) return "";
    for (uint64_t k = 0; k < count; ++k) {
      if (symbols[k].st_value == target &&
          ELF64_ST_TYPE(symbols[k].st_info) == STT_FUNC) {
        return file.StringAt(sections[table.sh_link].sh_offset +
                             symbols[k].st_name);
      }
    }
  }
  return "";
}

// "tensorwright::shape_inference::F(InferenceContext*)" -> "F".
std::string ShortFunctionName(std::string name) {
  // Anonymous namespaces contain a parenthesis of their own.
  const std::string kAnonymous = "(anonymous namespace)::";
  for (size_t at; (at = name.find(kAnonymous)) != std::string::npos;) {
    name.erase(at, kAnonymous.size());
  }
  const size_t arguments = name.find('(');
  if (arguments != std::string::npos) name.resize(arguments);
  absl::string_view rest = name;
  absl::ConsumePrefix(&rest, "tensorwright::");
  absl::ConsumePrefix(&rest, "shape_inference::");
  return std::string(rest);
}

}  // namespace

std::string FunctionName(const void* address) {
  Dl_info info;
  if (address == nullptr || dladdr(address, &info) == 0) return "";
  if (info.dli_sname != nullptr && info.dli_saddr == address) {
    return ShortFunctionName(DemangledName(info.dli_sname));
  }
  std::string mangled =
      LookUpInSymbolTable(info.dli_fname, reinterpret_cast<uint64_t>(address),
                          reinterpret_cast<uint64_t>(info.dli_fbase));
  return mangled.empty() ? ""
                         : ShortFunctionName(DemangledName(mangled.c_str()));
}

std::string DemangledName(const char* mangled) {
  int status = 0;
  std::unique_ptr<char, decltype(&std::free)> name(
      abi::__cxa_demangle(mangled, nullptr, nullptr, &status), &std::free);
  return status == 0 && name != nullptr ? name.get() : mangled;
}

std::string TypeName(const std::type_info& type) {
  return DemangledName(type.name());
}

}  // namespace tensorwright

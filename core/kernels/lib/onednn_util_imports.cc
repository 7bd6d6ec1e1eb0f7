// SPDX-License-Identifier: Apache-2.0
// RedirectImports over the dynamic section of the loaded library.
#include "core/kernels/lib/onednn_util_imports.h"

#include <dlfcn.h>
#include <link.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "core/lib/core/errors.h"

namespace tensorwright {
namespace onednn {
namespace {

// The parts of a loaded library that its calls to others use.
struct Library {
  const void* address = nullptr;  // A given address of something in it.
  std::string path = {};
  uintptr_t base = 0;
  const ElfW(Dyn) * dynamic = nullptr;
  // The part that the loader made read-only after it filled in the table.
  uintptr_t sealed_begin = 0, sealed_end = 0;
};

int FindLibrary(dl_phdr_info* info, size_t, void* data) {
  auto* library = static_cast<Library*>(data);
  const uintptr_t wanted = reinterpret_cast<uintptr_t>(library->address);
  bool found = false;
  Library it = {library->address, info->dlpi_name, info->dlpi_addr};
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const ElfW(Phdr)& header = info->dlpi_phdr[i];
    const uintptr_t begin = info->dlpi_addr + header.p_vaddr;
    const uintptr_t end = begin + header.p_memsz;
    if (header.p_type == PT_LOAD) found |= begin <= wanted && wanted < end;
    if (header.p_type == PT_DYNAMIC) {
      it.dynamic = reinterpret_cast<const ElfW(Dyn)*>(begin);
    }
    if (header.p_type == PT_GNU_RELRO) {
      it.sealed_begin = begin;
      it.sealed_end = end;
    }
  }
  if (found) *library = it;
  return found ? 1 : 0;
}

// The value of an entry in the dynamic section; 0 if there is none.  The loader
// has turned offsets into addresses.
uintptr_t DynamicValue(const Library& library, ElfW(Sxword) tag) {
  for (const ElfW(Dyn)* d = library.dynamic; d->d_tag != DT_NULL; ++d) {
    if (d->d_tag == tag) return d->d_un.d_val;
  }
  return 0;
}

// The table's entry for the function; null: the library does not call it.
void** FindEntry(const Library& library, const char* name) {
  const auto* symbols =
      reinterpret_cast<const ElfW(Sym)*>(DynamicValue(library, DT_SYMTAB));
  const auto* names =
      reinterpret_cast<const char*>(DynamicValue(library, DT_STRTAB));
  if (symbols == nullptr || names == nullptr) return nullptr;
  for (const auto& [table, size] :
       {std::pair{DT_JMPREL, DT_PLTRELSZ}, std::pair{DT_RELA, DT_RELASZ}}) {
    const auto* entries =
        reinterpret_cast<const ElfW(Rela)*>(DynamicValue(library, table));
    const size_t n = DynamicValue(library, size) / sizeof(ElfW(Rela));
    for (size_t i = 0; i < n; ++i) {
      const auto type = ELF64_R_TYPE(entries[i].r_info);
      if (type != R_X86_64_JUMP_SLOT && type != R_X86_64_GLOB_DAT) continue;
      const ElfW(Sym)& symbol = symbols[ELF64_R_SYM(entries[i].r_info)];
      if (std::strcmp(names + symbol.st_name, name) != 0) continue;
      return reinterpret_cast<void**>(library.base + entries[i].r_offset);
    }
  }
  return nullptr;
}

// Makes the sealed part writable, or read-only again.
bool Seal(const Library& library, bool sealed) {
  const uintptr_t page = sysconf(_SC_PAGESIZE);
  const uintptr_t begin = library.sealed_begin / page * page;
  // The loader seals whole pages only.
  const uintptr_t end = library.sealed_end / page * page;
  if (begin >= end) return true;
  return mprotect(reinterpret_cast<void*>(begin), end - begin,
                  sealed ? PROT_READ : PROT_READ | PROT_WRITE) == 0;
}

}  // namespace

Status RedirectImports(const void* address,
                       absl::Span<const ImportRedirection> redirections) {
  Library library{address};
  dl_iterate_phdr(FindLibrary, &library);
  if (library.dynamic == nullptr) {
    return errors::NotFound("no shared library at the address");
  }
  // The entry itself may still lead to the loader, if calls bind lazily.
  void* handle = dlopen(library.path.c_str(), RTLD_LAZY | RTLD_NOLOAD);
  if (handle == nullptr) return errors::NotFound(dlerror());
  std::vector<void**> entries;
  Status status;
  for (const ImportRedirection& r : redirections) {
    entries.push_back(FindEntry(library, r.name));
    *r.original = dlsym(handle, r.name);
    if (entries.back() == nullptr || *r.original == nullptr) {
      status = errors::NotFound(library.path, " does not call ", r.name);
    }
  }
  dlclose(handle);  // The library stays, since others have loaded it.
  TF_RETURN_IF_ERROR(status);
  if (!Seal(library, false)) {
    return errors::PermissionDenied(library.path, " cannot be made writable");
  }
  for (size_t i = 0; i < entries.size(); ++i) {
    // Another thread may be calling through the entry.
    std::atomic_ref<void*>(*entries[i])
        .store(redirections[i].target, std::memory_order_release);
  }
  Seal(library, true);
  return OkStatus();
}

}  // namespace onednn
}  // namespace tensorwright

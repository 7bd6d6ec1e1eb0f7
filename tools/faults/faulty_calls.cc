// SPDX-License-Identifier: Apache-2.0
// Calls of the C library that fail when they are told to: a library for
// LD_PRELOAD, which faults.py drives.
//
// Only calls count that libtensorwright.so makes, or, for threads, the C++
// library for it: what Python and others ask of the system goes through.  Calls
// that close or free something are done and then say that they failed, as the
// system does.  Thread safe; the numbers of calls are those of the whole
// process.
#include <dirent.h>
#include <dlfcn.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <cstring>

namespace {

// The kinds of calls, which faults.py knows by these numbers.
enum Kind { kFiles = 1, kThreads = 2, kMemory = 4 };

std::atomic<int> armed{0};         // The kinds that count.
std::atomic<long> count{0};        // Calls so far.
std::atomic<long> fails{-1};       // The number of the call that fails.
std::atomic<int> error{0};         // Its errno.
std::atomic<bool> lasting{false};  // Do all calls after it fail, too?
std::atomic<const char*> failed{nullptr};

// The range of the code of libtensorwright.so.
std::atomic<const char*> code_begin{nullptr}, code_end{nullptr};

template <typename Function>
Function Next(const char* name) {
  return reinterpret_cast<Function>(dlsym(RTLD_NEXT, name));
}

// Does this call, of that kind, fail?  Sets errno if it does.
bool Fails(Kind kind, const char* name, const void* caller) {
  if ((armed.load(std::memory_order_relaxed) & kind) == 0) return false;
  const char* const from = static_cast<const char*>(caller);
  if (kind != kThreads && (from < code_begin.load(std::memory_order_relaxed) ||
                           from >= code_end.load(std::memory_order_relaxed))) {
    return false;
  }
  const long which = fails.load(), n = count.fetch_add(1) + 1;
  if (which < 0 || n < which || (n > which && !lasting.load())) return false;
  failed.store(name);
  errno = error.load();
  return true;
}

}  // namespace

extern "C" {

// The code at [begin, end) is whose calls count.
void tw_faults_code(const char* begin, const char* end) {
  code_begin.store(begin);
  code_end.store(end);
}

// From now on the calls of these kinds count, from 1, and the `which`-th fails
// with `number`, and all that follow if `lasts`; none does if `which` is 0.  No
// kinds: nothing counts.
void tw_faults_arm(int kinds, long which, int number, int lasts) {
  armed.store(0);
  count.store(0);
  failed.store(nullptr);
  fails.store(which == 0 ? -1 : which);
  error.store(number);
  lasting.store(lasts != 0);
  armed.store(kinds);
}

long tw_faults_count() { return count.load(); }

// The name of the function that failed; null if none has.
const char* tw_faults_failed() { return failed.load(); }

#define CALLER __builtin_return_address(0)
#define NEXT(name) static const auto next = Next<decltype(&name)>(#name)

int open(const char* path, int flags, ...) {
  NEXT(open);
  va_list more;
  va_start(more, flags);
  const mode_t mode = va_arg(more, mode_t);
  va_end(more);
  return Fails(kFiles, "open", CALLER) ? -1 : next(path, flags, mode);
}

FILE* fopen(const char* path, const char* mode) {
  NEXT(fopen);
  return Fails(kFiles, "fopen", CALLER) ? nullptr : next(path, mode);
}

size_t fwrite(const void* data, size_t size, size_t n, FILE* file) {
  NEXT(fwrite);
  if (!Fails(kFiles, "fwrite", CALLER)) return next(data, size, n, file);
  // Half of it is written: a disk that is full takes what it has room for.
  const int number = errno;
  next(data, 1, size * n / 2, file);
  errno = number;
  return 0;
}

int fflush(FILE* file) {
  NEXT(fflush);
  return Fails(kFiles, "fflush", CALLER) ? EOF : next(file);
}

int fclose(FILE* file) {
  NEXT(fclose);
  const bool fail = Fails(kFiles, "fclose", CALLER);
  const int number = errno;
  const int result = next(file);
  if (!fail) return result;
  errno = number;
  return EOF;
}

int close(int fd) {
  NEXT(close);
  const bool fail = Fails(kFiles, "close", CALLER);
  const int number = errno;
  const int result = next(fd);
  if (!fail) return result;
  errno = number;
  return -1;
}

int fsync(int fd) {
  NEXT(fsync);
  return Fails(kFiles, "fsync", CALLER) ? -1 : next(fd);
}

ssize_t read(int fd, void* data, size_t size) {
  NEXT(read);
  return Fails(kFiles, "read", CALLER) ? -1 : next(fd, data, size);
}

ssize_t write(int fd, const void* data, size_t size) {
  NEXT(write);
  return Fails(kFiles, "write", CALLER) ? -1 : next(fd, data, size);
}

ssize_t pread(int fd, void* data, size_t size, off_t offset) {
  NEXT(pread);
  return Fails(kFiles, "pread", CALLER) ? -1 : next(fd, data, size, offset);
}

int rename(const char* from, const char* to) {
  NEXT(rename);
  return Fails(kFiles, "rename", CALLER) ? -1 : next(from, to);
}

int unlink(const char* path) {
  NEXT(unlink);
  return Fails(kFiles, "unlink", CALLER) ? -1 : next(path);
}

int mkdir(const char* path, mode_t mode) {
  NEXT(mkdir);
  return Fails(kFiles, "mkdir", CALLER) ? -1 : next(path, mode);
}

int rmdir(const char* path) {
  NEXT(rmdir);
  return Fails(kFiles, "rmdir", CALLER) ? -1 : next(path);
}

int stat(const char* path, struct stat* found) {
  NEXT(stat);
  return Fails(kFiles, "stat", CALLER) ? -1 : next(path, found);
}

int lstat(const char* path, struct stat* found) {
  NEXT(lstat);
  return Fails(kFiles, "lstat", CALLER) ? -1 : next(path, found);
}

int fstat(int fd, struct stat* found) {
  NEXT(fstat);
  return Fails(kFiles, "fstat", CALLER) ? -1 : next(fd, found);
}

int access(const char* path, int mode) {
  NEXT(access);
  return Fails(kFiles, "access", CALLER) ? -1 : next(path, mode);
}

DIR* opendir(const char* path) {
  NEXT(opendir);
  return Fails(kFiles, "opendir", CALLER) ? nullptr : next(path);
}

dirent* readdir(DIR* folder) {
  NEXT(readdir);
  return Fails(kFiles, "readdir", CALLER) ? nullptr : next(folder);
}

void* mmap(void* at, size_t size, int protection, int flags, int fd,
           off_t offset) {
  NEXT(mmap);
  const bool fail = Fails(fd < 0 ? kMemory : kFiles, "mmap", CALLER);
  return fail ? MAP_FAILED : next(at, size, protection, flags, fd, offset);
}

int posix_memalign(void** memory, size_t alignment, size_t size) {
  NEXT(posix_memalign);
  if (Fails(kMemory, "posix_memalign", CALLER)) return ENOMEM;
  return next(memory, alignment, size);
}

int pthread_create(pthread_t* thread, const pthread_attr_t* attributes,
                   void* (*body)(void*), void* argument) {
  NEXT(pthread_create);
  if (Fails(kThreads, "pthread_create", CALLER)) return EAGAIN;
  return next(thread, attributes, body, argument);
}

}  // extern "C"

// SPDX-License-Identifier: Apache-2.0
// Text of a crash report: the writer, and names of files from the map of the
// process.
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "core/common_runtime/crash_report.h"

namespace tensorwright {
namespace crash {
namespace {

// Reads /proc/self/maps line by line into a small buffer.
class MapLines {
 public:
  explicit MapLines(int fd) : fd_(fd) {}

  // The next line, its end cut off if it is long; false at the end.
  bool Next(absl::string_view* line) {
    size_t n = 0;
    for (char c; Get(&c);) {
      if (c == '\n') {
        *line = absl::string_view(line_, n);
        return true;
      }
      if (n < sizeof line_) line_[n++] = c;
    }
    return false;
  }

 private:
  bool Get(char* c) {
    if (at_ == size_) {
      const ssize_t n = read(fd_, buffer_, sizeof buffer_);
      if (n <= 0) return false;
      size_ = static_cast<size_t>(n);
      at_ = 0;
    }
    *c = buffer_[at_++];
    return true;
  }

  const int fd_;
  size_t at_ = 0, size_ = 0;
  char buffer_[1024];
  char line_[1024];
};

uint64_t TakeHex(absl::string_view* text) {
  uint64_t value = 0;
  size_t i = 0;
  for (; i < text->size(); ++i) {
    const char c = (*text)[i];
    const int digit = c >= '0' && c <= '9'   ? c - '0'
                      : c >= 'a' && c <= 'f' ? c - 'a' + 10
                                             : -1;
    if (digit < 0) break;
    value = value * 16 + static_cast<uint64_t>(digit);
  }
  text->remove_prefix(std::min(text->size(), i + 1));  // And what comes next.
  return value;
}

}  // namespace

Writer& Writer::operator<<(absl::string_view text) {
  for (const char c : text) {
    if (size_ == sizeof buffer_) Flush();
    buffer_[size_++] = c;
  }
  return *this;
}

Writer& Writer::operator<<(int64_t number) {
  char digits[24];
  size_t i = sizeof digits;
  uint64_t rest = number < 0 ? -static_cast<uint64_t>(number)
                             : static_cast<uint64_t>(number);
  do {
    digits[--i] = static_cast<char>('0' + rest % 10);
    rest /= 10;
  } while (rest > 0);
  if (number < 0) digits[--i] = '-';
  return *this << absl::string_view(digits + i, sizeof digits - i);
}

Writer& Writer::Hex(uint64_t number) {
  char digits[16];
  size_t i = sizeof digits;
  do {
    digits[--i] = "0123456789abcdef"[number % 16];
    number /= 16;
  } while (number > 0);
  return *this << "0x" << absl::string_view(digits + i, sizeof digits - i);
}

void Writer::Flush() {
  for (size_t at = 0; at < size_;) {
    const ssize_t n = write(fd_, buffer_ + at, size_ - at);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) break;
    at += static_cast<size_t>(n);
  }
  size_ = 0;
}

namespace {

// No folder has this number, and an absolute path asks for none: check-op's
// filter of system calls knows by it that the report opens the file, and not
// the kernel that it is on (tools/opcheck/worker_seal.py).
constexpr int kNoFolder = -7747;

// The entry of the process's map that has an address.
struct Mapping {
  char path[1024];
  size_t path_size = 0;
  FileRange range;  // To the end of the segment that has the address.
};

bool FindMapping(const void* address, Mapping* found) {
  const int fd =
      static_cast<int>(syscall(SYS_openat, kNoFolder, "/proc/self/maps", 0));
  if (fd < 0) return false;
  bool there = false;
  MapLines lines(fd);
  for (absl::string_view line; lines.Next(&line);) {
    // begin-end rwxp offset device inode path
    const uint64_t begin = TakeHex(&line);
    const uint64_t end = TakeHex(&line);
    line.remove_prefix(std::min(line.size(), line.find('/')));
    // A file's segments follow each other; offsets count from the first.
    if (line != absl::string_view(found->path, found->path_size)) {
      if (there) break;
      found->range.begin = begin;
      found->path_size = std::min(line.size(), sizeof found->path);
      std::memcpy(found->path, line.data(), found->path_size);
    }
    found->range.end = end;
    there |= found->range.Has(address) && found->path_size > 0;
  }
  close(fd);
  return there;
}

}  // namespace

bool WriteFileAt(const void* address, bool with_offset, Writer* out) {
  Mapping found;
  if (!FindMapping(address, &found)) return false;
  *out << absl::string_view(found.path, found.path_size);
  if (with_offset) {
    *out << "+";
    out->Hex(reinterpret_cast<uint64_t>(address) - found.range.begin);
  }
  return true;
}

FileRange FileRangeOf(const void* address) {
  Mapping found;
  return FindMapping(address, &found) ? found.range : FileRange();
}

}  // namespace crash
}  // namespace tensorwright

// SPDX-License-Identifier: Apache-2.0
// Reads Example and SequenceExample (core/example) from their bytes, without
// making messages of them: finds and counts the values of a feature, and copies
// them.
//
// Every function takes any bytes, and returns false if they are not such a
// message.  It allocates only if a message says something in several pieces.
#ifndef TENSORWRIGHT_CORE_KERNELS_PARSING_EXAMPLE_PARSING_OPS_WIRE_H_
#define TENSORWRIGHT_CORE_KERNELS_PARSING_EXAMPLE_PARSING_OPS_WIRE_H_

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <deque>
#include <string>

#include "absl/strings/string_view.h"
#include "core/framework/types.h"

namespace tensorwright {
namespace example_wire {

// A view of bytes; its functions take fields off the front.
class Wire {
 public:
  explicit Wire(absl::string_view bytes)
      : at_(bytes.data()), end_(bytes.data() + bytes.size()) {}

  bool AtEnd() const { return at_ == end_; }

  bool Varint(uint64_t* value) {
    if (at_ < end_ && static_cast<signed char>(*at_) >= 0) {
      *value = static_cast<unsigned char>(*at_++);
      return true;
    }
    return LongVarint(value);
  }
  // Takes field number and wire type; false also for a field number of 0.
  bool Tag(uint32_t* tag) {
    uint64_t value = 0;
    if (!Varint(&value) || value < 8 || value > 0xFFFFFFFF) return false;
    *tag = static_cast<uint32_t>(value);
    return true;
  }
  // Takes the bytes of a field that has a length.
  bool Bytes(absl::string_view* bytes) {
    uint64_t n = 0;
    if (!Varint(&n) || n > static_cast<uint64_t>(end_ - at_)) return false;
    *bytes = absl::string_view(at_, static_cast<size_t>(n));
    at_ += n;
    return true;
  }
  bool Fixed32(float* value) {
    if (end_ - at_ < 4) return false;
    std::memcpy(value, at_, 4);
    at_ += 4;
    return true;
  }
  // Skips the value behind a tag that has no meaning here.
  bool Skip(uint32_t tag);

 private:
  bool LongVarint(uint64_t* value);

  const char* at_;
  const char* end_;
};

// Tags: field number and wire type.
inline constexpr uint32_t kBytes1 = 1 << 3 | 2, kBytes2 = 2 << 3 | 2,
                          kBytes3 = 3 << 3 | 2;

// Messages that were joined from several pieces.
using Pieces = std::deque<std::string>;

// Joins two pieces: a message that occurs twice has the fields of both.
inline void Merge(absl::string_view more, absl::string_view* message,
                  Pieces* pieces) {
  if (message->empty()) {
    *message = more;
    return;
  }
  std::string both(*message);
  both.append(more.data(), more.size());
  *message = pieces->emplace_back(std::move(both));
}

// Calls fn(key, value) for the entries of each map that the message has as its
// field `tag_of_map`; a value is a Feature's or FeatureList's bytes.  False
// also if fn returns false.
template <typename Fn>
bool ForEachEntry(absl::string_view message, uint32_t tag_of_map,
                  Pieces* pieces, const Fn& fn) {
  Wire outer(message);
  while (!outer.AtEnd()) {
    uint32_t tag = 0;
    if (!outer.Tag(&tag)) return false;
    if (tag != tag_of_map) {
      if (!outer.Skip(tag)) return false;
      continue;
    }
    absl::string_view map;
    if (!outer.Bytes(&map)) return false;
    Wire entries(map);
    while (!entries.AtEnd()) {
      if (!entries.Tag(&tag)) return false;
      if (tag != kBytes1) {
        if (!entries.Skip(tag)) return false;
        continue;
      }
      absl::string_view entry, key, value, piece;
      if (!entries.Bytes(&entry)) return false;
      Wire fields(entry);
      while (!fields.AtEnd()) {
        if (!fields.Tag(&tag)) return false;
        if (tag == kBytes1) {
          if (!fields.Bytes(&key)) return false;
        } else if (tag == kBytes2) {
          if (!fields.Bytes(&piece)) return false;
          Merge(piece, &value, pieces);
        } else if (!fields.Skip(tag)) {
          return false;
        }
      }
      if (!fn(key, value)) return false;
    }
  }
  return true;
}

// The values of a feature: the bytes of a BytesList, FloatList or Int64List.
struct Values {
  absl::string_view list;
  DataType dtype = DT_INVALID;  // No values.
  int64_t count = 0;
};

// Reads the bytes of a Feature; does not count the values.
bool ReadFeature(absl::string_view feature, Pieces* pieces, Values* values);

// Sets values->count.
bool CountValues(Values* values);

// Copies the values; `out` has room for values.count, and T has their dtype.
bool CopyValues(const Values& values, float* out);
bool CopyValues(const Values& values, int64_t* out);
bool CopyValues(const Values& values, std::string* out);

}  // namespace example_wire
}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_KERNELS_PARSING_EXAMPLE_PARSING_OPS_WIRE_H_

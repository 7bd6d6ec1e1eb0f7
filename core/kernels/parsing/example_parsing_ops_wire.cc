// SPDX-License-Identifier: Apache-2.0
#include "core/kernels/parsing/example_parsing_ops_wire.h"

namespace tensorwright {
namespace example_wire {
namespace {

constexpr uint32_t kVarint1 = 1 << 3 | 0, kFixed1 = 1 << 3 | 5;

// Counts the numbers of a packed list, each of which ends at a byte without the
// highest bit; has no branch, so that the compiler makes vectors of it.
int64_t CountVarints(absl::string_view packed) {
  int64_t n = 0;
  for (const char c : packed) n += static_cast<unsigned char>(c) < 0x80;
  return n;
}

bool CountFloats(Values* values) {
  Wire wire(values->list);
  while (!wire.AtEnd()) {
    uint32_t tag = 0;
    if (!wire.Tag(&tag)) return false;
    if (tag == kBytes1) {
      absl::string_view packed;
      if (!wire.Bytes(&packed) || packed.size() % 4 != 0) return false;
      values->count += static_cast<int64_t>(packed.size() / 4);
    } else {
      float unused;
      if (tag != kFixed1 || !wire.Fixed32(&unused)) return false;
      ++values->count;
    }
  }
  return true;
}

bool CountInts(Values* values) {
  Wire wire(values->list);
  while (!wire.AtEnd()) {
    uint32_t tag = 0;
    if (!wire.Tag(&tag)) return false;
    if (tag == kBytes1) {
      absl::string_view packed;
      if (!wire.Bytes(&packed)) return false;
      if (packed.empty()) continue;
      if (static_cast<unsigned char>(packed.back()) >= 0x80) return false;
      values->count += CountVarints(packed);
    } else {
      uint64_t unused;
      if (tag != kVarint1 || !wire.Varint(&unused)) return false;
      ++values->count;
    }
  }
  return true;
}

bool CountStrings(Values* values) {
  Wire wire(values->list);
  while (!wire.AtEnd()) {
    uint32_t tag = 0;
    absl::string_view unused;
    if (!wire.Tag(&tag) || tag != kBytes1 || !wire.Bytes(&unused)) return false;
    ++values->count;
  }
  return true;
}

}  // namespace

bool Wire::LongVarint(uint64_t* value) {
  *value = 0;
  for (int shift = 0; shift < 70; shift += 7) {
    if (at_ == end_) return false;
    const uint64_t byte = static_cast<unsigned char>(*at_++);
    *value |= (byte & 0x7F) << shift;
    if (byte < 0x80) return true;
  }
  return false;
}

bool Wire::Skip(uint32_t tag) {
  uint64_t number = 0;
  absl::string_view bytes;
  switch (tag & 7) {
    case 0:
      return Varint(&number);
    case 2:
      return Bytes(&bytes);
    case 1:
    case 5: {
      const std::ptrdiff_t n = (tag & 7) == 1 ? 8 : 4;
      if (end_ - at_ < n) return false;
      at_ += n;
      return true;
    }
    default:
      return false;
  }
}

bool ReadFeature(absl::string_view feature, Pieces* pieces, Values* values) {
  *values = Values();
  Wire wire(feature);
  while (!wire.AtEnd()) {
    uint32_t tag = 0;
    if (!wire.Tag(&tag)) return false;
    const DataType dtype = tag == kBytes1   ? DT_STRING
                           : tag == kBytes2 ? DT_FLOAT
                           : tag == kBytes3 ? DT_INT64
                                            : DT_INVALID;
    if (dtype == DT_INVALID) {
      if (!wire.Skip(tag)) return false;
      continue;
    }
    absl::string_view list;
    if (!wire.Bytes(&list)) return false;
    // A Feature has one kind of list: another kind takes the place of the last.
    if (dtype != values->dtype) values->list = absl::string_view();
    values->dtype = dtype;
    Merge(list, &values->list, pieces);
  }
  return true;
}

bool CountValues(Values* values) {
  values->count = 0;
  switch (values->dtype) {
    case DT_FLOAT:
      return CountFloats(values);
    case DT_INT64:
      return CountInts(values);
    case DT_STRING:
      return CountStrings(values);
    default:
      return true;
  }
}

bool CopyValues(const Values& values, float* out) {
  Wire wire(values.list);
  while (!wire.AtEnd()) {
    uint32_t tag = 0;
    if (!wire.Tag(&tag)) return false;
    if (tag == kBytes1) {
      absl::string_view packed;
      if (!wire.Bytes(&packed)) return false;
      std::memcpy(out, packed.data(), packed.size());
      out += packed.size() / 4;
    } else if (!wire.Fixed32(out++)) {
      return false;
    }
  }
  return true;
}

bool CopyValues(const Values& values, int64_t* out) {
  Wire wire(values.list);
  while (!wire.AtEnd()) {
    uint32_t tag = 0;
    uint64_t number = 0;
    if (!wire.Tag(&tag)) return false;
    if (tag == kBytes1) {
      absl::string_view packed;
      if (!wire.Bytes(&packed)) return false;
      Wire numbers(packed);
      while (!numbers.AtEnd()) {
        if (!numbers.Varint(&number)) return false;
        *out++ = static_cast<int64_t>(number);
      }
    } else {
      if (!wire.Varint(&number)) return false;
      *out++ = static_cast<int64_t>(number);
    }
  }
  return true;
}

bool CopyValues(const Values& values, std::string* out) {
  Wire wire(values.list);
  while (!wire.AtEnd()) {
    uint32_t tag = 0;
    absl::string_view bytes;
    if (!wire.Tag(&tag) || !wire.Bytes(&bytes)) return false;
    (out++)->assign(bytes.data(), bytes.size());
  }
  return true;
}

}  // namespace example_wire
}  // namespace tensorwright

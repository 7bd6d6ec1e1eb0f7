// SPDX-License-Identifier: Apache-2.0
// Keys and values of tables.
#include "core/kernels/lookup/lookup_table_op_entries.h"

#include <algorithm>
#include <array>
#include <cstring>

namespace tensorwright {
namespace lookup {
namespace {

// This many look-ups are in progress at a time: their numbers stay in the
// cache.
constexpr int64_t kPiece = 256;
// A large table is not in the cache, so each key is prefetched this many keys
// ahead.
constexpr size_t kAhead = 16;

// Writes `n` numbers as elements of T.
template <typename T>
void WriteNumbers(absl::Span<const uint64_t> numbers,
                  absl::Span<const bool> missing, const T* defaults,
                  bool one_default, T* out) {
  for (size_t i = 0; i < numbers.size(); ++i) {
    if (missing[i]) {
      out[i] = defaults[one_default ? 0 : i];
    } else {
      std::memcpy(&out[i], &numbers[i], sizeof(T));
    }
  }
}

}  // namespace

// ---- ValueStore -------------------------------------------------------------

uint64_t ValueStore::Add(const Tensor& values, int64_t row) {
  if (inline_) return Replace(0, values, row);
  if (dtype_ == DT_STRING) {
    const uint64_t place = strings_.size() / std::max<int64_t>(width_, 1);
    const std::string* from = values.base<std::string>() + row * width_;
    strings_.insert(strings_.end(), from, from + width_);
    return place;
  }
  const int64_t bytes = width_ * size_;
  const uint64_t place = bytes_.size() / std::max<int64_t>(bytes, 1);
  const char* from = values.base<char>() + row * bytes;
  bytes_.insert(bytes_.end(), from, from + bytes);
  return place;
}

uint64_t ValueStore::Replace(uint64_t number, const Tensor& values,
                             int64_t row) {
  if (inline_) {
    uint64_t bits = 0;
    std::memcpy(&bits, values.base<char>() + row * size_, size_);
    return bits;
  }
  if (dtype_ == DT_STRING) {
    std::copy_n(values.base<std::string>() + row * width_, width_,
                strings_.begin() + number * width_);
  } else if (width_ > 0) {
    std::memcpy(bytes_.data() + number * width_ * size_,
                values.base<char>() + row * width_ * size_, width_ * size_);
  }
  return number;
}

bool ValueStore::Equals(uint64_t number, const Tensor& values,
                        int64_t row) const {
  if (dtype_ == DT_STRING) {
    return std::equal(strings_.begin() + number * width_,
                      strings_.begin() + (number + 1) * width_,
                      values.base<std::string>() + row * width_);
  }
  const char* kept = inline_ ? reinterpret_cast<const char*>(&number)
                             : bytes_.data() + number * width_ * size_;
  return width_ == 0 ||
         std::memcmp(kept, values.base<char>() + row * width_ * size_,
                     width_ * size_) == 0;
}

void ValueStore::Get(uint64_t number, Tensor* values, int64_t row) const {
  if (dtype_ == DT_STRING) {
    std::copy_n(strings_.begin() + number * width_, width_,
                values->base<std::string>() + row * width_);
  } else if (width_ > 0) {
    const char* kept = inline_ ? reinterpret_cast<const char*>(&number)
                               : bytes_.data() + number * width_ * size_;
    std::memcpy(values->base<char>() + row * width_ * size_, kept,
                width_ * size_);
  }
}

void ValueStore::GetAll(absl::Span<const uint64_t> numbers,
                        absl::Span<const bool> missing, const Tensor& defaults,
                        bool one_default, int64_t start, Tensor* values) const {
  const int64_t from = one_default ? 0 : start;
  if (inline_ && size_ == 8) {
    return WriteNumbers(numbers, missing, defaults.base<uint64_t>() + from,
                        one_default, values->base<uint64_t>() + start);
  }
  if (inline_ && size_ == 4) {
    return WriteNumbers(numbers, missing, defaults.base<uint32_t>() + from,
                        one_default, values->base<uint32_t>() + start);
  }
  for (size_t i = 0; i < numbers.size(); ++i) {
    const int64_t row = start + static_cast<int64_t>(i);
    if (!missing[i]) {
      Get(numbers[i], values, row);
      continue;
    }
    const int64_t default_row = one_default ? 0 : row;
    if (dtype_ == DT_STRING) {
      std::copy_n(defaults.base<std::string>() + default_row * width_, width_,
                  values->base<std::string>() + row * width_);
    } else if (width_ > 0) {
      std::memcpy(values->base<char>() + row * width_ * size_,
                  defaults.base<char>() + default_row * width_ * size_,
                  width_ * size_);
    }
  }
}

void ValueStore::Clear() {
  bytes_.clear();
  strings_.clear();
}

int64_t ValueStore::MemoryUsed() const {
  return static_cast<int64_t>(bytes_.capacity() +
                              strings_.capacity() * sizeof(std::string));
}

// ---- KeyMap -----------------------------------------------------------------

void KeyMap::Reserve(int64_t n) {
  dtype_ == DT_STRING ? strings_.reserve(n) : numbers_.reserve(n);
}

void KeyMap::Clear() {
  strings_.clear();
  numbers_.clear();
}

uint64_t* KeyMap::Find(const Tensor& keys, int64_t i) {
  if (dtype_ == DT_STRING) {
    const auto it = strings_.find(keys.base<std::string>()[i]);
    return it == strings_.end() ? nullptr : &it->second;
  }
  const auto it = numbers_.find(Number(keys, i));
  return it == numbers_.end() ? nullptr : &it->second;
}

void KeyMap::Insert(const Tensor& keys, int64_t i, uint64_t number) {
  if (dtype_ == DT_STRING) {
    strings_.emplace(keys.base<std::string>()[i], number);
  } else {
    numbers_.emplace(Number(keys, i), number);
  }
}

namespace {

template <typename Map, typename Key>
void FindAllOf(const Map& map, const Key* keys, absl::Span<uint64_t> numbers,
               absl::Span<bool> missing) {
  for (size_t i = 0; i < numbers.size(); ++i) {
    if (i + kAhead < numbers.size()) map.prefetch(keys[i + kAhead]);
    const auto it = map.find(keys[i]);
    missing[i] = it == map.end();
    if (!missing[i]) numbers[i] = it->second;
  }
}

}  // namespace

void KeyMap::FindAll(const Tensor& keys, int64_t start,
                     absl::Span<uint64_t> numbers,
                     absl::Span<bool> missing) const {
  if (dtype_ == DT_STRING) {
    FindAllOf(strings_, keys.base<std::string>() + start, numbers, missing);
  } else if (dtype_ == DT_INT64) {
    FindAllOf(numbers_, keys.base<int64_t>() + start, numbers, missing);
  } else {
    FindAllOf(numbers_, keys.base<int32_t>() + start, numbers, missing);
  }
}

void KeyMap::Export(Tensor* keys, std::vector<uint64_t>* numbers) const {
  numbers->clear();
  numbers->reserve(size());
  if (dtype_ == DT_STRING) {
    std::string* out = keys->base<std::string>();
    for (const auto& [key, number] : strings_) {
      *out++ = key;
      numbers->push_back(number);
    }
    return;
  }
  int64_t i = 0;
  for (const auto& [key, number] : numbers_) {
    if (dtype_ == DT_INT64) {
      keys->base<int64_t>()[i++] = key;
    } else {
      keys->base<int32_t>()[i++] = static_cast<int32_t>(key);
    }
    numbers->push_back(number);
  }
}

int64_t KeyMap::MemoryUsed() const {
  return static_cast<int64_t>(
      numbers_.capacity() * (sizeof(int64_t) + sizeof(uint64_t)) +
      strings_.capacity() * (sizeof(std::string) + sizeof(uint64_t)));
}

void FindRows(const KeyMap& map, const ValueStore& store, const Tensor& keys,
              const Tensor& defaults, int64_t start, int64_t limit,
              Tensor* values) {
  const bool one_default =
      defaults.NumElements() == store.width() && keys.NumElements() != 1;
  std::array<uint64_t, kPiece> numbers;
  std::array<bool, kPiece> missing;
  for (int64_t at = start; at < limit; at += kPiece) {
    const size_t n = std::min(kPiece, limit - at);
    map.FindAll(keys, at, absl::MakeSpan(numbers).subspan(0, n),
                absl::MakeSpan(missing).subspan(0, n));
    store.GetAll(absl::MakeSpan(numbers).subspan(0, n),
                 absl::MakeSpan(missing).subspan(0, n), defaults, one_default,
                 at, values);
  }
}

}  // namespace lookup
}  // namespace tensorwright

// SPDX-License-Identifier: Apache-2.0
// The parts of tables: a map from keys to numbers, and the values that the
// numbers stand for.  Neither locks anything.
#ifndef TENSORWRIGHT_CORE_KERNELS_LOOKUP_LOOKUP_TABLE_OP_ENTRIES_H_
#define TENSORWRIGHT_CORE_KERNELS_LOOKUP_LOOKUP_TABLE_OP_ENTRIES_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "core/framework/tensor.h"
#include "core/framework/tensor_shape.h"
#include "core/framework/types.h"

namespace tensorwright {
namespace lookup {

// Values of one dtype and shape, each known by a number: a scalar of up to 8
// bytes by its bits, any other value by its place.  A place is never given
// back: replacing a value writes to its place.
class ValueStore {
 public:
  // `by_place`: all values have places, in the order in which they came.
  ValueStore(DataType dtype, const TensorShape& shape, bool by_place = false)
      : dtype_(dtype),
        width_(shape.num_elements()),
        size_(DataTypeSize(dtype)),
        inline_(!by_place && dtype != DT_STRING && width_ == 1) {}

  // The elements of one value.
  int64_t width() const { return width_; }
  DataType dtype() const { return dtype_; }

  // Keeps value `row` of `values`, [rows] + shape, and returns its number.
  uint64_t Add(const Tensor& values, int64_t row);
  // The number of the value when it replaces that of `number`.
  uint64_t Replace(uint64_t number, const Tensor& values, int64_t row);
  // Is value `row` of `values` equal to the one with `number`?
  bool Equals(uint64_t number, const Tensor& values, int64_t row) const;
  // Writes it to row `row` of `values`.
  void Get(uint64_t number, Tensor* values, int64_t row) const;
  // Writes the values of all numbers to the rows of `values`; where `missing`,
  // row i of `defaults`, or its only row if `one_default`.
  void GetAll(absl::Span<const uint64_t> numbers,
              absl::Span<const bool> missing, const Tensor& defaults,
              bool one_default, int64_t start, Tensor* values) const;
  void Clear();
  int64_t MemoryUsed() const;

 private:
  const DataType dtype_;
  const int64_t width_;
  const int64_t size_;
  const bool inline_;
  std::vector<char> bytes_;
  std::vector<std::string> strings_;
};

// Keys of one dtype, scalars: int32, int64 or string.
class KeyMap {
 public:
  explicit KeyMap(DataType dtype) : dtype_(dtype) {}

  int64_t size() const {
    return static_cast<int64_t>(dtype_ == DT_STRING ? strings_.size()
                                                    : numbers_.size());
  }
  void Reserve(int64_t n);
  void Clear();
  // Finds key `i` of `keys`: its number, or null.
  uint64_t* Find(const Tensor& keys, int64_t i);
  // Inserts a key, which must not be in the map.
  void Insert(const Tensor& keys, int64_t i, uint64_t number);
  // For keys [start, start + numbers.size()): sets their numbers, and which are
  // missing.
  void FindAll(const Tensor& keys, int64_t start, absl::Span<uint64_t> numbers,
               absl::Span<bool> missing) const;
  // Gives all keys, and their numbers in the same order.  `keys` has size()
  // elements.
  void Export(Tensor* keys, std::vector<uint64_t>* numbers) const;
  int64_t MemoryUsed() const;

 private:
  int64_t Number(const Tensor& keys, int64_t i) const {
    return dtype_ == DT_INT64 ? keys.base<int64_t>()[i]
                              : keys.base<int32_t>()[i];
  }

  const DataType dtype_;
  absl::flat_hash_map<int64_t, uint64_t> numbers_;
  absl::flat_hash_map<std::string, uint64_t> strings_;
};

// Looks up all of `keys`, a piece at a time, and sets row i of `values` to the
// value of key i, or its default.  `defaults` is one value, or one for each
// key.
void FindRows(const KeyMap& map, const ValueStore& store, const Tensor& keys,
              const Tensor& defaults, int64_t start, int64_t limit,
              Tensor* values);

}  // namespace lookup
}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_KERNELS_LOOKUP_LOOKUP_TABLE_OP_ENTRIES_H_

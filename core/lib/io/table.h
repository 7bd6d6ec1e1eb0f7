// SPDX-License-Identifier: Apache-2.0
// Table: a sorted map from strings to strings in a file, in LevelDB's format,
// which checkpoints are kept in.
//
// This is our own reader, since Debian's libleveldb allocates as much as a
// block handle or a compressed block claims before it looks at the file's size,
// so that a few broken bytes may ask for 16 EiB.  Here a file of n bytes makes
// the reader take memory in proportion to n, whatever the bytes are.
//
// The file, all numbers little-endian, a handle being varint64 offset and size:
//   block*  meta index (empty)  index  footer
//   block:  entries, the offset of every 16th as fixed32, their number, then
//           outside its handle a byte (0 plain, 1 Snappy) and the masked
//           CRC-32C of all that.
//   entry:  varint32 shared, varint32 own, varint32 value length; the key's
//   last
//           `own` bytes behind `shared` of the key before; the value.
//   index:  a block with an entry for each block: a key that is not less than
//           its keys and less than those of the next, and its handle.
//   footer: 48 bytes: handles of meta index and index, zeros, fixed64 magic.
#ifndef TENSORWRIGHT_CORE_LIB_IO_TABLE_H_
#define TENSORWRIGHT_CORE_LIB_IO_TABLE_H_

#include <cstdint>
#include <memory>
#include <string>

#include "absl/strings/string_view.h"
#include "core/lib/core/status.h"
#include "core/platform/file_system.h"

namespace tensorwright {
namespace table {

inline constexpr uint64_t kMagic = 0xdb4775248b80fb57ull;
inline constexpr size_t kFooterBytes = 48;
// The bytes after each block: its kind and its sum.
inline constexpr size_t kTrailerBytes = 5;
enum class Compression : char { kNone = 0, kSnappy = 1 };

struct BlockHandle {
  uint64_t offset = 0;
  uint64_t size = 0;  // Without the trailer.

  void AppendTo(std::string* out) const;
  // Takes a handle off the front; false if there is none.
  bool Take(absl::string_view* in);
};

// Walks the entries of one block in memory.  No bytes can lead it out of the
// block.
class BlockIterator {
 public:
  BlockIterator() = default;
  // `offset` is the block's in its file, for messages.  Call a Seek first.
  Status Reset(std::string contents, uint64_t offset);

  bool Valid() const { return valid_; }
  absl::string_view key() const { return key_; }
  absl::string_view value() const { return value_; }
  // Each makes Valid() false at the end, and returns DataLoss for bytes that
  // are no entry.
  Status SeekToFirst();
  // Goes to the first entry whose key is not less than `target`.
  Status Seek(absl::string_view target);
  Status Next();

 private:
  Status SeekToRestart(uint32_t i);
  Status Broken(absl::string_view what) const;
  absl::string_view entries() const {
    return absl::string_view(contents_).substr(0, restarts_);
  }

  std::string contents_;
  uint64_t offset_ = 0;
  size_t restarts_ = 0;  // The position where their offsets begin.
  uint32_t num_restarts_ = 0;
  size_t next_ = 0;  // The position of the entry after the current one.
  std::string key_;
  absl::string_view value_;
  bool valid_ = false;
};

// Reads a table.  The file is not owned, and outlives it.  Immutable, except
// for iterators, each of which belongs to one thread.
class Table {
 public:
  // DataLoss, with offset and reason but without the file's name, if the file
  // is no table.
  static Status Open(const RandomAccessFile* file, uint64_t file_size,
                     std::unique_ptr<Table>* table);

  class Iterator {
   public:
    explicit Iterator(const Table* table) : table_(table) {}
    bool Valid() const { return block_.Valid(); }
    absl::string_view key() const { return block_.key(); }
    absl::string_view value() const { return block_.value(); }
    Status SeekToFirst();
    Status Seek(absl::string_view target);
    Status Next();

   private:
    // Loads the block at `index_`, unless it is loaded.
    Status LoadBlock();
    // Goes past the ends of blocks.
    Status SkipEmpty();

    const Table* const table_;
    BlockIterator index_;
    BlockIterator block_;
    uint64_t loaded_ = UINT64_MAX;  // The offset of the block in block_.
    bool has_index_ = false;
  };

 private:
  Table(const RandomAccessFile* file, uint64_t size)
      : file_(file), size_(size) {}
  // Reads the bytes of a block, checked and inflated.
  Status ReadBlock(BlockHandle handle, std::string* contents) const;

  const RandomAccessFile* const file_;
  const uint64_t size_;
  std::string index_;
  uint64_t index_offset_ = 0;
};

// Writes a table.  The file is not owned; the caller closes it.
class TableBuilder {
 public:
  explicit TableBuilder(WritableFile* file) : file_(file) {}

  // Keys come in rising order, each once: InvalidArgument otherwise.
  Status Add(absl::string_view key, absl::string_view value);
  // Writes the rest; nothing may follow.
  Status Finish();

 private:
  // The entries of a block so far.
  struct Block {
    std::string bytes;
    std::string restarts;
    uint32_t num_restarts = 0;
    uint32_t since_restart = 0;
    std::string last_key;

    void Add(absl::string_view key, absl::string_view value,
             uint32_t restart_interval);
    // The block with its list of restarts; leaves it empty.
    std::string Take();
  };

  Status EndBlock(absl::string_view next_key);
  Status Write(const std::string& block, BlockHandle* handle);

  WritableFile* const file_;
  uint64_t offset_ = 0;
  Block data_;
  Block index_;
  bool has_entries_ = false;
  std::string last_key_;
};

}  // namespace table
}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_LIB_IO_TABLE_H_

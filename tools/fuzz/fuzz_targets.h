// SPDX-License-Identifier: Apache-2.0
// The targets of fuzzing: readers of files and values that others may have
// written.
//
// A target takes any bytes.  It may refuse them, but must never crash, hang, or
// take memory that the bytes do not account for.  replay_test.cc runs the
// corpus and a simple mutator's changes of it; libfuzzer_main.cc is the driver
// of libFuzzer, which looks for new paths (run.sh).
#ifndef TENSORWRIGHT_TOOLS_FUZZ_FUZZ_TARGETS_H_
#define TENSORWRIGHT_TOOLS_FUZZ_FUZZ_TARGETS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace tensorwright {
namespace fuzz {

struct Target {
  std::string name;  // Also the folder of its corpus.
  void (*run)(absl::string_view bytes);
  // The most that all live allocations together may come to, and the largest
  // one, as multiples of the bytes, besides a constant for the cost of an empty
  // file, or of protobuf.
  int64_t live_factor;
  int64_t single_factor;
  int64_t constant;
};

// All targets.
const std::vector<Target>& Targets();

// `file` as a table, with the right magic number, and the right checksum on
// each block that its footer and index name.
std::string WithTableSums(absl::string_view file);

// `file` as records, with the right checksums.
std::string WithRecordSums(absl::string_view file);

// The targets.  Tables and records are read as they are, and again with the
// right checksums, without which little of them would ever be read.
void ReadTable(absl::string_view bytes);          // core/lib/io/table.h
void ReadRecords(absl::string_view bytes);        // Records, plain,
void ReadZippedRecords(absl::string_view bytes);  // and compressed.
void ReadEvent(absl::string_view bytes);          // A record of an event file.
void ReadBundleIndex(absl::string_view bytes);    // Index of a V2 checkpoint.
void ReadBundleEntries(absl::string_view bytes);  // Its entries alone.
void ReadSliceTable(absl::string_view bytes);     // A V1 checkpoint.
void ReadMetaGraph(absl::string_view bytes);      // MetaGraphDef, imported.
void ReadSavedModel(absl::string_view bytes);     // SavedModel, each imported.

// Parsers and decoders of programs' data.
void ParseExample(absl::string_view bytes);      // Twice, as a batch.
void ParseCsv(absl::string_view bytes);          // A line.
void ParseJsonExample(absl::string_view bytes);  // An Example as JSON.
void DecodeJpeg(absl::string_view bytes);        // Whole, and reduced.
void DecodePng(absl::string_view bytes);         // To 8 bits, and to 16.
void DecodeGif(absl::string_view bytes);         // All frames.
void DecodeBmp(absl::string_view bytes);

}  // namespace fuzz
}  // namespace tensorwright

#endif  // TENSORWRIGHT_TOOLS_FUZZ_FUZZ_TARGETS_H_

// SPDX-License-Identifier: Apache-2.0
// SummaryMetadataFilter: lets an event file describe each tag's summaries only
// once.
#ifndef TENSORWRIGHT_CORE_UTIL_SUMMARY_METADATA_H_
#define TENSORWRIGHT_CORE_UTIL_SUMMARY_METADATA_H_

#include <string>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/string_view.h"

namespace tensorwright {

// Removes the SummaryMetadata from the values of a tag that had one in an
// earlier summary.  Serves one file; used by one thread at a time.
class SummaryMetadataFilter {
 public:
  enum Result {
    kAsItIs,   // `filtered` is not touched: write `summary`.
    kChanged,  // Write `filtered`.
    kBroken,   // `summary` is no serialized Summary.
  };
  Result Filter(absl::string_view summary, std::string* filtered);

 private:
  absl::flat_hash_set<std::string> seen_;
};

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_UTIL_SUMMARY_METADATA_H_

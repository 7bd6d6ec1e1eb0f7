// SPDX-License-Identifier: Apache-2.0
#include "core/util/summary_metadata.h"

#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/wire_format_lite.h>

#include "core/framework/summary.pb.h"

namespace tensorwright {
namespace {

using google::protobuf::internal::WireFormatLite;
using google::protobuf::io::CodedInputStream;

// Walks the outline of a message without copying its contents: most summaries
// have no metadata, and may have large images.  Calls visit(field, end of the
// field) for each length-delimited field; false if the outline is broken.
template <typename Visit>
bool ForEachField(CodedInputStream* in, const Visit& visit) {
  while (const uint32_t tag = in->ReadTag()) {
    if (WireFormatLite::GetTagWireType(tag) !=
        WireFormatLite::WIRETYPE_LENGTH_DELIMITED) {
      if (!WireFormatLite::SkipField(in, tag)) return false;
      continue;
    }
    uint32_t size = 0;
    if (!in->ReadVarint32(&size)) return false;
    const int64_t end = int64_t{in->CurrentPosition()} + size;
    const int left = in->BytesUntilLimit();
    if (left >= 0 && int64_t{size} > left) return false;
    if (!visit(WireFormatLite::GetTagFieldNumber(tag), size)) return false;
    if (!in->Skip(static_cast<int>(end - in->CurrentPosition()))) return false;
  }
  return in->ConsumedEntireMessage();
}

bool LooksLikeSummary(absl::string_view summary, bool* has_metadata) {
  CodedInputStream in(reinterpret_cast<const uint8_t*>(summary.data()),
                      static_cast<int>(summary.size()));
  const auto whole = in.PushLimit(static_cast<int>(summary.size()));
  const auto in_value = [has_metadata](int field, uint32_t) {
    if (field == Summary::Value::kMetadataFieldNumber) *has_metadata = true;
    return true;
  };
  const bool ok = ForEachField(&in, [&](int field, uint32_t size) {
    if (field != Summary::kValueFieldNumber) return true;
    const auto limit = in.PushLimit(static_cast<int>(size));
    const bool value_ok = ForEachField(&in, in_value);
    in.PopLimit(limit);
    return value_ok;
  });
  in.PopLimit(whole);
  return ok;
}

}  // namespace

SummaryMetadataFilter::Result SummaryMetadataFilter::Filter(
    absl::string_view summary, std::string* filtered) {
  bool has_metadata = false;
  if (!LooksLikeSummary(summary, &has_metadata)) return kBroken;
  if (!has_metadata) return kAsItIs;
  Summary parsed;
  if (!parsed.ParseFromArray(summary.data(),
                             static_cast<int>(summary.size()))) {
    return kBroken;
  }
  bool changed = false;
  for (Summary::Value& value : *parsed.mutable_value()) {
    if (!value.has_metadata()) continue;
    if (seen_.insert(value.tag()).second) continue;
    value.clear_metadata();
    changed = true;
  }
  if (!changed) return kAsItIs;
  parsed.SerializeToString(filtered);
  return kChanged;
}

}  // namespace tensorwright

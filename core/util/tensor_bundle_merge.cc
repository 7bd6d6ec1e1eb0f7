// SPDX-License-Identifier: Apache-2.0
// Joins the bundles that the devices of one model wrote.
#include <map>
#include <utility>

#include "absl/strings/str_cat.h"
#include "core/framework/tensor_shape.pb.h"
#include "core/framework/versions.pb.h"
#include "core/lib/core/errors.h"
#include "core/lib/io/path.h"
#include "core/lib/random/random.h"
#include "core/util/tensor_bundle.h"

namespace tensorwright {
namespace {

struct Merged {
  BundleHeaderProto header;
  bool has_header = false;
  std::map<std::string, BundleEntryProto> entries;
  std::vector<std::string> data_paths;  // By the numbers they will have.
};

Status AddHeader(const std::string& prefix, const BundleHeaderProto& header,
                 Merged* merged) {
  if (!merged->has_header) {
    merged->header = header;
    merged->has_header = true;
  }
  if (merged->header.endianness() != header.endianness() ||
      merged->header.version().SerializeAsString() !=
          header.version().SerializeAsString()) {
    return errors::InvalidArgument(
        "bundle ", prefix, " differs in byte order or version from the others");
  }
  return OkStatus();
}

// `number` maps the numbers of one bundle's data files to the new ones.
Status AddEntry(const std::string& prefix, absl::string_view key,
                const BundleEntryProto& entry, int32_t num_shards,
                std::map<int32_t, int32_t>* numbers, Merged* merged) {
  const auto [found, added] =
      merged->entries.try_emplace(std::string(key), entry);
  BundleEntryProto& all = found->second;
  if (!added) {
    // The slices of one tensor may be in several bundles.
    if (all.slices().empty() || entry.slices().empty() ||
        all.dtype() != entry.dtype() ||
        TensorShape(all.shape()) != TensorShape(entry.shape())) {
      return errors::InvalidArgument("tensor '", key, "' is in bundle ", prefix,
                                     " and in another one");
    }
    all.mutable_slices()->MergeFrom(entry.slices());
    return OkStatus();
  }
  // Slices have entries of their own, which give the place of the bytes.
  if (!entry.slices().empty()) return OkStatus();
  const auto [number, first] = numbers->try_emplace(
      entry.shard_id(), static_cast<int32_t>(merged->data_paths.size()));
  if (first) {
    merged->data_paths.push_back(
        DataFilename(prefix, entry.shard_id(), num_shards));
  }
  all.set_shard_id(number->second);
  return OkStatus();
}

Status AddBundle(Env* env, const std::string& prefix, Merged* merged) {
  std::unique_ptr<BundleReader> reader;
  TF_RETURN_IF_ERROR(BundleReader::Open(env, prefix, &reader));
  TF_RETURN_IF_ERROR(AddHeader(prefix, reader->header(), merged));
  std::map<int32_t, int32_t> numbers;
  return reader->ForEach(
      [&](absl::string_view key, const BundleEntryProto& entry) {
        return AddEntry(prefix, key, entry, reader->num_shards(), &numbers,
                        merged);
      },
      /*slices=*/true);
}

}  // namespace

Status MergeBundles(Env* env, absl::Span<const std::string> prefixes,
                    absl::string_view merged_prefix, bool allow_missing_files) {
  Merged merged;
  Status missing = errors::InvalidArgument("there is no bundle to merge");
  for (const std::string& prefix : prefixes) {
    const Status s = AddBundle(env, prefix, &merged);
    if (allow_missing_files && errors::IsNotFound(s)) {
      missing = s;
      continue;
    }
    TF_RETURN_IF_ERROR(s);
  }
  if (!merged.has_header) return missing;

  const std::string folder(io::Dirname(merged_prefix));
  if (!folder.empty() && !env->FileExists(folder).ok()) {
    const Status made = env->CreateDir(folder);
    if (!made.ok() && !errors::IsAlreadyExists(made)) return made;
  }
  const int32_t n = static_cast<int32_t>(merged.data_paths.size());
  merged.header.set_num_shards(n);
  const std::string index = MetaFilename(merged_prefix);
  const std::string unfinished =
      absl::StrCat(index, ".tempstate", random::New64());
  Status s = WriteBundleIndex(env, unfinished, merged.header, merged.entries);
  for (int32_t i = 0; s.ok() && i < n; ++i) {
    s = env->RenameFile(merged.data_paths[i],
                        DataFilename(merged_prefix, i, n));
  }
  if (s.ok()) s = env->RenameFile(unfinished, index);
  if (!s.ok()) {
    env->DeleteFile(unfinished).IgnoreError();
    return s;
  }
  for (const std::string& prefix : prefixes) {
    if (prefix != merged_prefix) {
      env->DeleteFile(MetaFilename(prefix)).IgnoreError();
    }
  }
  return OkStatus();
}

}  // namespace tensorwright

// SPDX-License-Identifier: Apache-2.0
// Writes bundles.
#include <algorithm>
#include <cstdint>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "core/framework/tensor_shape.pb.h"
#include "core/framework/tensor_slice.pb.h"
#include "core/framework/versions.pb.h"
#include "core/lib/core/coding.h"
#include "core/lib/core/errors.h"
#include "core/lib/hash/crc32c.h"
#include "core/lib/io/path.h"
#include "core/lib/random/random.h"
#include "core/util/saved_tensor_slice_util.h"
#include "core/util/tensor_bundle.h"

namespace tensorwright {
namespace {

// Bytes are summed while they are still in the cache for the copy that the
// write makes.
constexpr size_t kPiece = 256 << 10;
// From this size on another thread sums the bytes that this one writes.
constexpr size_t kManyBytes = 4 << 20;

}  // namespace

std::string MetaFilename(absl::string_view prefix) {
  return absl::StrCat(prefix, ".index");
}

std::string DataFilename(absl::string_view prefix, int32_t shard_id,
                         int32_t num_shards) {
  return absl::StrFormat("%s.data-%05d-of-%05d", prefix, shard_id, num_shards);
}

bool CanBeSaved(DataType dtype) {
  return dtype == DT_STRING || DataTypeCanUseMemcpy(dtype);
}

SummedOutput::SummedOutput(std::unique_ptr<WritableFile> file)
    : file_(std::move(file)) {
  buffer_.reserve(kPiece);
}

void SummedOutput::AddToSum(absl::string_view data) {
  sum_ = crc32c::Extend(sum_, data.data(), data.size());
}

Status SummedOutput::Flush() {
  if (buffer_.empty()) return OkStatus();
  const Status s = file_->Append(buffer_);
  buffer_.clear();
  return s;
}

Status SummedOutput::Append(absl::string_view data) {
  size_ += static_cast<int64_t>(data.size());
  if (buffer_.size() + data.size() <= kPiece) {
    AddToSum(data);
    buffer_.append(data.data(), data.size());
    return OkStatus();
  }
  TF_RETURN_IF_ERROR(Flush());
  std::unique_ptr<Thread> summing;  // Joined by its destructor.
  if (data.size() >= kManyBytes) {
    summing.reset(Env::Default()->StartThread(
        ThreadOptions(), "checkpoint_sum", [this, data] { AddToSum(data); }));
  }
  while (!data.empty()) {
    const absl::string_view piece = data.substr(0, kPiece);
    if (summing == nullptr) AddToSum(piece);
    TF_RETURN_IF_ERROR(file_->Append(piece));
    data.remove_prefix(piece.size());
  }
  return OkStatus();
}

Status SummedOutput::Close() {
  TF_RETURN_IF_ERROR(Flush());
  return file_->Close();
}

Status WriteBundleIndex(
    Env* env, const std::string& path, const BundleHeaderProto& header,
    const std::map<std::string, BundleEntryProto>& entries) {
  std::unique_ptr<WritableFile> file;
  TF_RETURN_IF_ERROR(env->NewWritableFile(path, &file));
  table::TableBuilder table(file.get());
  TF_RETURN_IF_ERROR(table.Add("", header.SerializeAsString()));
  for (const auto& [key, entry] : entries) {
    TF_RETURN_IF_ERROR(table.Add(key, entry.SerializeAsString()));
  }
  TF_RETURN_IF_ERROR(table.Finish());
  return file->Close();
}

BundleWriter::BundleWriter(Env* env, absl::string_view prefix)
    : env_(env),
      prefix_(prefix),
      data_path_(absl::StrCat(DataFilename(prefix, 0, 1), ".tempstate",
                              random::New64())),
      index_path_(
          absl::StrCat(MetaFilename(prefix), ".tempstate", random::New64())) {
  const std::string folder(io::Dirname(prefix_));
  if (!folder.empty() && !env_->FileExists(folder).ok()) {
    const Status made = env_->CreateDir(folder);
    if (!errors::IsAlreadyExists(made)) status_ = made;
  }
  std::unique_ptr<WritableFile> file;
  if (status_.ok()) status_ = env_->NewWritableFile(data_path_, &file);
  if (status_.ok()) data_ = std::make_unique<SummedOutput>(std::move(file));
}

BundleWriter::~BundleWriter() {
  if (finished_ || data_ == nullptr) return;
  data_->Close().IgnoreError();
  env_->DeleteFile(data_path_).IgnoreError();
  env_->DeleteFile(index_path_).IgnoreError();
}

namespace {

// The key "" belongs to the header; a slice's own key begins as no name may.
Status CheckName(const std::string& name) {
  if (!name.empty() && !checkpoint::IsSliceKey(name)) return OkStatus();
  return errors::InvalidArgument("'", name, "' is no name for a tensor");
}

}  // namespace

Status BundleWriter::Add(const std::string& name, const Tensor& tensor) {
  TF_RETURN_IF_ERROR(status_);
  status_ = CheckName(name);
  TF_RETURN_IF_ERROR(status_);
  return Write(name, tensor);
}

Status BundleWriter::AddSlice(const std::string& name,
                              const TensorShape& full_shape,
                              const TensorSlice& slice, const Tensor& tensor) {
  TF_RETURN_IF_ERROR(status_);
  status_ = CheckName(name);
  TF_RETURN_IF_ERROR(status_);
  TensorShape shape;
  status_ = slice.SliceTensorShape(full_shape, &shape);
  TF_RETURN_IF_ERROR(status_);
  if (shape != tensor.shape()) {
    return status_ = errors::InvalidArgument(
               "the slice ", slice.DebugString(), " of '", name, "' ",
               full_shape.DebugString(), " has shape ", shape.DebugString(),
               ", its tensor ", tensor.shape().DebugString());
  }
  if (checkpoint::IsFullSlice(slice, full_shape)) return Add(name, tensor);

  const auto [found, added] = entries_.try_emplace(name);
  BundleEntryProto& full = found->second;
  if (added) {
    full.set_dtype(tensor.dtype());
    full_shape.AsProto(full.mutable_shape());
  } else if (full.slices().empty() || full.dtype() != tensor.dtype() ||
             TensorShape(full.shape()) != full_shape) {
    return status_ = errors::InvalidArgument(
               "the parts of '", name, "' differ in dtype or full shape: ",
               DataTypeString(full.dtype()), " ",
               TensorShape(full.shape()).DebugString(), " and ",
               DataTypeString(tensor.dtype()), " ", full_shape.DebugString());
  }
  slice.AsProto(full.add_slices());
  return Write(checkpoint::EncodeTensorNameSlice(name, slice), tensor);
}

Status BundleWriter::Write(const std::string& key, const Tensor& tensor) {
  const auto [found, added] = entries_.try_emplace(key);
  if (!added) {
    return status_ = errors::InvalidArgument("'", key, "' is there twice");
  }
  if (!CanBeSaved(tensor.dtype()) || !tensor.IsInitialized()) {
    return status_ = errors::InvalidArgument("'", key, "' of dtype ",
                                             DataTypeString(tensor.dtype()),
                                             " cannot be saved");
  }
  BundleEntryProto& entry = found->second;
  entry.set_dtype(tensor.dtype());
  tensor.shape().AsProto(entry.mutable_shape());
  entry.set_offset(data_->size());
  data_->SetSum(0);
  status_ = tensor.dtype() == DT_STRING ? WriteStrings(tensor)
                                        : data_->Append(tensor.tensor_data());
  entry.set_size(data_->size() - entry.offset());
  entry.set_crc32c(crc32c::Mask(data_->sum()));
  return status_;
}

Status BundleWriter::WriteStrings(const Tensor& tensor) {
  const auto strings = Flat<std::string>(tensor);
  uint32_t sum_of_lengths = 0;
  for (const std::string& s : strings) {
    char varint[core::kMaxVarint64Bytes], fixed[sizeof(uint64_t)];
    const char* end = core::EncodeVarint64(varint, s.size());
    TF_RETURN_IF_ERROR(data_->Append(
        absl::string_view(varint, static_cast<size_t>(end - varint))));
    core::EncodeFixed64(fixed, s.size());
    sum_of_lengths = crc32c::Extend(
        sum_of_lengths, fixed,
        s.size() <= UINT32_MAX ? sizeof(uint32_t) : sizeof(uint64_t));
  }
  char stored[sizeof(uint32_t)];
  core::EncodeFixed32(stored, crc32c::Mask(sum_of_lengths));
  TF_RETURN_IF_ERROR(data_->Append(absl::string_view(stored, sizeof stored)));
  // The sum covers the lengths in their summed form, not as they were written.
  data_->SetSum(crc32c::Extend(sum_of_lengths, stored, sizeof stored));
  for (const std::string& s : strings) TF_RETURN_IF_ERROR(data_->Append(s));
  return OkStatus();
}

Status BundleWriter::WriteIndex() {
  BundleHeaderProto header;
  header.set_num_shards(1);
  header.set_endianness(BundleHeaderProto::LITTLE);
  header.mutable_version()->set_producer(kTensorBundleVersion);
  header.mutable_version()->set_min_consumer(kTensorBundleMinConsumer);
  return WriteBundleIndex(env_, index_path_, header, entries_);
}

Status BundleWriter::Finish() {
  TF_RETURN_IF_ERROR(status_);
  status_ = data_->Close();
  if (status_.ok()) status_ = WriteIndex();
  if (status_.ok()) {
    status_ = env_->RenameFile(data_path_, DataFilename(prefix_, 0, 1));
  }
  if (status_.ok()) {
    status_ = env_->RenameFile(index_path_, MetaFilename(prefix_));
  }
  TF_RETURN_IF_ERROR(status_);
  finished_ = true;
  status_ = errors::FailedPrecondition("The bundle ", prefix_,
                                       " is finished already");
  return OkStatus();
}

}  // namespace tensorwright

// SPDX-License-Identifier: Apache-2.0
// Writes V1 checkpoints.
#include <cstdint>
#include <utility>

#include "absl/strings/str_cat.h"
#include "core/framework/tensor.pb.h"
#include "core/framework/tensor_shape.pb.h"
#include "core/framework/tensor_slice.pb.h"
#include "core/framework/versions.pb.h"
#include "core/lib/core/errors.h"
#include "core/lib/core/version.h"
#include "core/lib/random/random.h"
#include "core/util/saved_tensor_slice.pb.h"
#include "core/util/saved_tensor_slice_util.h"
#include "core/util/tensor_bundle.h"
#include "core/util/tensor_slice_table.h"

namespace tensorwright {
namespace checkpoint {
namespace {

// A message may not be larger; this leaves some room for the fields around the
// values.
constexpr int64_t kMostBytes = (int64_t{1} << 31) - (1 << 20);

// The most bytes that the values need in a message.
int64_t EncodedBytes(const Tensor& t) {
  if (t.dtype() == DT_STRING) {
    // Each string needs a tag and a length.
    return static_cast<int64_t>(t.TotalBytes()) + 11 * t.NumElements();
  }
  // A small negative integer takes ten bytes.
  const bool varint = DataTypeIsInteger(t.dtype()) ||
                      DataTypeIsQuantized(t.dtype()) ||
                      DataTypeSize(t.dtype()) == 2;
  return t.NumElements() * (varint ? 10 : DataTypeSize(t.dtype()));
}

// Readers of the format know no other dtypes.
Status CheckDtype(const std::string& name, DataType dtype) {
  switch (dtype) {
    case DT_UINT32:
    case DT_UINT64:
      return errors::InvalidArgument("'", name, "': the V1 format has no ",
                                     DataTypeString(dtype));
    case DT_BFLOAT16:
    case DT_QINT16:
    case DT_QUINT16:
      return errors::Unimplemented("'", name, "': the V1 format has no ",
                                   DataTypeString(dtype));
    default:
      return OkStatus();
  }
}

}  // namespace

TensorSliceWriter::TensorSliceWriter(Env* env, std::string filename)
    : env_(env), filename_(std::move(filename)) {}

Status TensorSliceWriter::Add(const std::string& name,
                              const TensorShape& full_shape,
                              const TensorSlice& slice, const Tensor& tensor) {
  if (!CanBeSaved(tensor.dtype()) || !tensor.IsInitialized()) {
    return errors::InvalidArgument("'", name, "' of dtype ",
                                   DataTypeString(tensor.dtype()),
                                   " cannot be saved");
  }
  TF_RETURN_IF_ERROR(CheckDtype(name, tensor.dtype()));
  if (tensor.NumElements() > kMostBytes || EncodedBytes(tensor) > kMostBytes) {
    return errors::InvalidArgument(
        "'", name, "' may need ", EncodedBytes(tensor),
        " bytes, more than the 2 GiB of the V1 format; the V2 format has no "
        "such limit");
  }
  TensorShape shape;
  TF_RETURN_IF_ERROR(slice.SliceTensorShape(full_shape, &shape));
  const auto [found, added] =
      tensors_.try_emplace(name, Named{tensor.dtype(), full_shape, {}});
  Named& named = found->second;
  if (shape != tensor.shape() || named.dtype != tensor.dtype() ||
      named.shape != full_shape) {
    return errors::InvalidArgument("the parts of '", name,
                                   "' differ in dtype or shape");
  }
  for (const TensorSlice& other : named.slices) {
    if (other.Overlaps(slice)) {
      return errors::InvalidArgument("slices ", other.DebugString(), " and ",
                                     slice.DebugString(), " of '", name,
                                     "' overlap");
    }
  }
  if (!values_
           .try_emplace(EncodeTensorNameSlice(name, slice),
                        Value{name, slice, tensor})
           .second) {
    return errors::InvalidArgument("'", name, "' is there twice");
  }
  named.slices.push_back(slice);
  if (added) order_.push_back(name);
  return OkStatus();
}

Status TensorSliceWriter::WriteTable(const std::string& path) const {
  std::unique_ptr<WritableFile> file;
  TF_RETURN_IF_ERROR(env_->NewWritableFile(path, &file));
  table::TableBuilder table(file.get());
  SavedTensorSlices all;
  for (const std::string& name : order_) {
    const Named& named = tensors_.at(name);
    SavedSliceMeta* meta = all.mutable_meta()->add_tensor();
    meta->set_name(name);
    meta->set_type(named.dtype);
    named.shape.AsProto(meta->mutable_shape());
    for (const TensorSlice& slice : named.slices) {
      slice.AsProto(meta->add_slice());
    }
  }
  VersionDef* versions = all.mutable_meta()->mutable_versions();
  versions->set_producer(TF_CHECKPOINT_VERSION);
  versions->set_min_consumer(TF_CHECKPOINT_VERSION_MIN_CONSUMER);
  TF_RETURN_IF_ERROR(table.Add("", all.SerializeAsString()));
  for (const auto& [key, value] : values_) {
    SavedTensorSlices one;
    SavedSlice* data = one.mutable_data();
    data->set_name(value.name);
    value.slice.AsProto(data->mutable_slice());
    value.tensor.AsProtoField(data->mutable_data());
    // Dtype and shape are in the other record.
    data->mutable_data()->clear_dtype();
    data->mutable_data()->clear_tensor_shape();
    std::string bytes;
    if (!one.SerializeToString(&bytes)) {
      return errors::InvalidArgument("'", value.name,
                                     "' is too large for the V1 format");
    }
    TF_RETURN_IF_ERROR(table.Add(key, bytes));
  }
  TF_RETURN_IF_ERROR(table.Finish());
  return file->Close();
}

Status TensorSliceWriter::Finish() {
  const std::string unfinished =
      absl::StrCat(filename_, ".tempstate", random::New64());
  Status s = WriteTable(unfinished);
  if (s.ok()) s = env_->RenameFile(unfinished, filename_);
  if (!s.ok()) env_->DeleteFile(unfinished).IgnoreError();
  return s;
}

}  // namespace checkpoint
}  // namespace tensorwright

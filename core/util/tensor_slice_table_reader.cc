// SPDX-License-Identifier: Apache-2.0
// Reads V1 checkpoints.
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <utility>

#include "absl/strings/str_cat.h"
#include "core/framework/tensor.pb.h"
#include "core/framework/tensor_shape.pb.h"
#include "core/framework/tensor_slice.pb.h"
#include "core/framework/versions.pb.h"
#include "core/lib/core/errors.h"
#include "core/lib/core/version.h"
#include "core/util/box_runs.h"
#include "core/util/saved_tensor_slice.pb.h"
#include "core/util/saved_tensor_slice_util.h"
#include "core/util/tensor_bundle.h"
#include "core/util/tensor_slice_table.h"

namespace tensorwright {
namespace checkpoint {
namespace {

// The number of values of a dtype that the message lists.
int64_t NumValues(DataType dtype, const TensorProto& proto) {
  switch (dtype) {
    case DT_FLOAT:
      return proto.float_val_size();
    case DT_DOUBLE:
      return proto.double_val_size();
    case DT_INT64:
      return proto.int64_val_size();
    case DT_BOOL:
      return proto.bool_val_size();
    case DT_STRING:
      return proto.string_val_size();
    case DT_HALF:
    case DT_BFLOAT16:
      return proto.half_val_size();
    case DT_COMPLEX64:
      return proto.scomplex_val_size() / 2;
    case DT_COMPLEX128:
      return proto.dcomplex_val_size() / 2;
    case DT_UINT32:
      return proto.uint32_val_size();
    case DT_UINT64:
      return proto.uint64_val_size();
    default:
      return proto.int_val_size();
  }
}

Status InFile(const std::string& path, const Status& s) {
  if (s.ok()) return s;
  return errors::WithMessage(s, absl::StrCat(path, ": ", s.error_message()));
}

// Copies the elements of the box `to` that the box `from` has.
void CopyBox(const TensorShape& shape, const TensorSlice& from,
             const Tensor& source, const TensorSlice& to, Tensor* target) {
  BoxRuns runs(shape, from, to);
  for (; !runs.done(); runs.Advance()) {
    if (source.dtype() == DT_STRING) {
      std::copy_n(source.base<std::string>() + runs.from(), runs.run(),
                  target->base<std::string>() + runs.to());
      continue;
    }
    const int64_t width = DataTypeSize(source.dtype());
    std::memcpy(target->base<char>() + runs.to() * width,
                source.base<char>() + runs.from() * width,
                static_cast<size_t>(runs.run() * width));
  }
}

}  // namespace

Status TensorSliceReader::Open(Env* env, const std::string& pattern,
                               std::unique_ptr<TensorSliceReader>* reader) {
  std::vector<std::string> paths;
  TF_RETURN_IF_ERROR(env->GetMatchingPaths(pattern, &paths));
  if (paths.empty()) {
    return errors::NotFound(
        "Unsuccessful TensorSliceReader: no checkpoint file matches ", pattern);
  }
  auto made = std::make_unique<TensorSliceReader>();
  made->pattern_ = pattern;
  for (const std::string& path : paths) {
    TF_RETURN_IF_ERROR(InFile(path, made->AddFile(env, path)));
  }
  *reader = std::move(made);
  return OkStatus();
}

Status TensorSliceReader::AddFile(Env* env, const std::string& path) {
  File added;
  added.path = path;
  uint64_t size;
  TF_RETURN_IF_ERROR(env->GetFileSize(path, &size));
  TF_RETURN_IF_ERROR(env->NewRandomAccessFile(path, &added.file));
  TF_RETURN_IF_ERROR(table::Table::Open(added.file.get(), size, &added.table));
  table::Table::Iterator it(added.table.get());
  TF_RETURN_IF_ERROR(it.SeekToFirst());
  if (!it.Valid() || !it.key().empty()) {
    return errors::DataLoss("it has no list of tensors");
  }
  files_.push_back(std::move(added));
  return AddTensors(it.value(), path);
}

Status TensorSliceReader::AddTensors(absl::string_view meta,
                                     const std::string& path) {
  SavedTensorSlices all;
  if (!all.ParseFromArray(meta.data(), static_cast<int>(meta.size()))) {
    return errors::DataLoss("its list of tensors is broken");
  }
  const VersionDef& versions = all.meta().versions();
  if (versions.min_consumer() > TF_CHECKPOINT_VERSION) {
    return errors::InvalidArgument(
        "it is for readers from version ", versions.min_consumer(),
        " on; this reader has version ", TF_CHECKPOINT_VERSION);
  }
  for (const SavedSliceMeta& tensor : all.meta().tensor()) {
    TensorShape shape;
    if (!CanBeSaved(tensor.type()) ||
        !TensorShape::BuildTensorShape(tensor.shape(), &shape).ok()) {
      return errors::DataLoss("tensor '", tensor.name(),
                              "' has no shape or dtype");
    }
    Named& named =
        tensors_.try_emplace(tensor.name(), Named{tensor.type(), shape, {}})
            .first->second;
    if (named.dtype != tensor.type() || named.shape != shape) {
      return errors::InvalidArgument("tensor '", tensor.name(),
                                     "' has another dtype or shape in ", path,
                                     " than in another file");
    }
    for (const TensorSliceProto& proto : tensor.slice()) {
      TensorSlice slice;
      TensorShape of_slice;
      if (!TensorSlice::BuildTensorSlice(proto, &slice).ok() ||
          !slice.SliceTensorShape(shape, &of_slice).ok()) {
        return errors::DataLoss("tensor '", tensor.name(),
                                "' has a broken slice");
      }
      for (const Named::Part& other : named.parts) {
        if (other.slice.Overlaps(slice)) {
          return errors::InvalidArgument(
              "slices ", other.slice.DebugString(), " and ",
              slice.DebugString(), " of tensor '", tensor.name(), "' overlap");
        }
      }
      named.parts.push_back({slice, files_.size() - 1});
    }
  }
  return OkStatus();
}

const TensorSliceReader::Named* TensorSliceReader::Find(
    const std::string& name) const {
  const auto found = tensors_.find(name);
  return found == tensors_.end() ? nullptr : &found->second;
}

Status TensorSliceReader::ReadPart(const std::string& name, const Named& named,
                                   const Named::Part& part,
                                   Tensor* values) const {
  const File& file = files_[part.file];
  table::Table::Iterator it(file.table.get());
  const std::string key = EncodeTensorNameSlice(name, part.slice);
  TF_RETURN_IF_ERROR(InFile(file.path, it.Seek(key)));
  SavedTensorSlices one;
  if (!it.Valid() || it.key() != key ||
      !one.ParseFromArray(it.value().data(),
                          static_cast<int>(it.value().size()))) {
    return errors::DataLoss(file.path, ": slice ", part.slice.DebugString(),
                            " of tensor '", name, "' is missing or broken");
  }
  TensorShape shape;
  TF_RETURN_IF_ERROR(part.slice.SliceTensorShape(named.shape, &shape));
  TensorProto* proto = one.mutable_data()->mutable_data();
  // Is checked before memory is taken for the values.
  if (NumValues(named.dtype, *proto) != shape.num_elements()) {
    return errors::DataLoss(file.path, ": slice ", part.slice.DebugString(),
                            " of tensor '", name, "' has ",
                            NumValues(named.dtype, *proto), " values for ",
                            shape.DebugString());
  }
  proto->set_dtype(named.dtype);
  shape.AsProto(proto->mutable_tensor_shape());
  return Tensor::ParseProto(*proto, values);
}

Status TensorSliceReader::Read(
    const std::string& name, const std::string& shape_and_slice, DataType dtype,
    const std::function<Status(const TensorShape&, Tensor*)>& allocate,
    Tensor* tensor) {
  const Named* named = Find(name);
  if (named == nullptr) {
    return errors::NotFound("Key ", name, " not found in checkpoint ",
                            pattern_);
  }
  if (named->dtype != dtype) {
    return errors::InvalidArgument("tensor '", name, "' is ",
                                   DataTypeString(named->dtype),
                                   " in checkpoint ", pattern_, ", ",
                                   DataTypeString(dtype), " is expected");
  }
  TensorSlice wanted(named->shape.dims());
  if (!shape_and_slice.empty()) {
    TensorShape full_shape, shape;
    TF_RETURN_IF_ERROR(
        ParseShapeAndSlice(shape_and_slice, &full_shape, &wanted, &shape));
    if (named->shape != full_shape) {
      return errors::InvalidArgument("tensor '", name, "' has shape ",
                                     named->shape.DebugString(),
                                     " in checkpoint ", pattern_, ", ",
                                     full_shape.DebugString(), " is expected");
    }
  }
  return ReadSlice(name, *named, wanted, allocate, tensor);
}

Status TensorSliceReader::ReadSlice(
    const std::string& name, const Named& named, const TensorSlice& wanted,
    const std::function<Status(const TensorShape&, Tensor*)>& allocate,
    Tensor* tensor) const {
  TensorShape shape;
  TF_RETURN_IF_ERROR(wanted.SliceTensorShape(named.shape, &shape));
  // Reads all values first, so that memory is taken only for values that exist.
  std::vector<std::pair<TensorSlice, Tensor>> parts;
  int64_t found = 0;
  for (const Named::Part& part : named.parts) {
    const int64_t common =
        BoxRuns(named.shape, part.slice, wanted).num_elements();
    if (common == 0) continue;
    Tensor values;
    TF_RETURN_IF_ERROR(ReadPart(name, named, part, &values));
    found += common;
    if (values.shape() == shape && common == shape.num_elements() &&
        part.slice == wanted) {
      *tensor = std::move(values);
      return OkStatus();
    }
    parts.emplace_back(part.slice, std::move(values));
  }
  if (found != shape.num_elements()) {
    return errors::InvalidArgument("checkpoint ", pattern_, " has only ", found,
                                   " of the ", shape.num_elements(),
                                   " elements of slice ", wanted.DebugString(),
                                   " of tensor '", name, "'");
  }
  TF_RETURN_IF_ERROR(allocate(shape, tensor));
  for (const auto& [from, values] : parts) {
    CopyBox(named.shape, from, values, wanted, tensor);
  }
  return OkStatus();
}

}  // namespace checkpoint
}  // namespace tensorwright

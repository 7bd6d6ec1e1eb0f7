// SPDX-License-Identifier: Apache-2.0
#include "core/util/checkpoint_reader.h"

#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "core/framework/types.pb.h"
#include "core/lib/core/errors.h"

namespace tensorwright {
namespace checkpoint {

Status CheckpointReader::Open(Env* env, const std::string& pattern,
                              std::unique_ptr<CheckpointReader>* reader) {
  std::unique_ptr<CheckpointReader> made(new CheckpointReader);
  const Status has_index = env->FileExists(MetaFilename(pattern));
  if (!errors::IsNotFound(has_index)) {
    TF_RETURN_IF_ERROR(BundleReader::Open(env, pattern, &made->bundle_));
    TF_RETURN_IF_ERROR(made->ListBundle());
  } else {
    mutex_lock l(made->mu_);
    const Status s = TensorSliceReader::Open(env, pattern, &made->tables_);
    if (errors::IsNotFound(s)) {
      return errors::NotFound(
          "Unsuccessful TensorSliceReader: no checkpoint is at ", pattern,
          ", neither ", MetaFilename(pattern), " nor a file of the V1 format");
    }
    TF_RETURN_IF_ERROR(s);
    made->ListTables();
  }
  *reader = std::move(made);
  return OkStatus();
}

Status CheckpointReader::ListBundle() {
  return bundle_->ForEach([this](absl::string_view name,
                                 const BundleEntryProto& entry) {
    variables_[std::string(name)] = {entry.dtype(), TensorShape(entry.shape())};
    return OkStatus();
  });
}

void CheckpointReader::ListTables() {
  for (const auto& [name, named] : tables_->tensors()) {
    variables_[name] = {named.dtype, named.shape};
  }
}

Status CheckpointReader::GetTensor(const std::string& name, Tensor* tensor) {
  if (bundle_ != nullptr) return bundle_->Lookup(name, tensor);
  const auto found = variables_.find(name);
  const DataType dtype =
      found == variables_.end() ? DT_INVALID : found->second.dtype;
  mutex_lock l(mu_);
  return tables_->Read(
      name, "", dtype,
      [dtype](const TensorShape& shape, Tensor* out) {
        return Tensor::BuildTensor(dtype, shape, out);
      },
      tensor);
}

std::string CheckpointReader::DebugString() const {
  std::string text;
  for (const auto& [name, variable] : variables_) {
    absl::StrAppend(&text, name, " (", DataType_Name(variable.dtype), ") ",
                    variable.shape.DebugString(), "\n");
  }
  return text;
}

}  // namespace checkpoint
}  // namespace tensorwright

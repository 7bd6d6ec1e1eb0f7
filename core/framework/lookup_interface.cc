// SPDX-License-Identifier: Apache-2.0
#include "core/framework/lookup_interface.h"

#include "core/framework/types.h"

namespace tensorwright {
namespace lookup {

Status LookupInterface::CheckKeyShape(const TensorShape& shape) {
  if (!TensorShapeUtils::EndsWith(shape, key_shape())) {
    return errors::InvalidArgument("table: the shape of keys must end with ",
                                   key_shape().DebugString(), ", got ",
                                   shape.DebugString());
  }
  return Status();
}

Status LookupInterface::CheckKeyAndValueTypes(const Tensor& keys,
                                              const Tensor& values) {
  if (keys.dtype() != key_dtype()) {
    return errors::InvalidArgument("table: keys must be ",
                                   DataTypeString(key_dtype()), ", got ",
                                   DataTypeString(keys.dtype()));
  }
  if (values.dtype() != value_dtype()) {
    return errors::InvalidArgument("table: values must be ",
                                   DataTypeString(value_dtype()), ", got ",
                                   DataTypeString(values.dtype()));
  }
  return Status();
}

Status LookupInterface::CheckKeyAndValueTensorsForInsert(const Tensor& keys,
                                                         const Tensor& values) {
  TF_RETURN_IF_ERROR(CheckKeyAndValueTypes(keys, values));
  TF_RETURN_IF_ERROR(CheckKeyShape(keys.shape()));
  TensorShape expected = keys.shape();
  expected.RemoveLastDims(key_shape().dims());
  expected.AppendShape(value_shape());
  if (values.shape() != expected) {
    return errors::InvalidArgument("table: values must have shape ",
                                   expected.DebugString(), ", got ",
                                   values.shape().DebugString());
  }
  return Status();
}

Status LookupInterface::CheckKeyAndValueTensorsForImport(const Tensor& keys,
                                                         const Tensor& values) {
  return CheckKeyAndValueTensorsForInsert(keys, values);
}

Status LookupInterface::CheckKeyTensorForRemove(const Tensor& keys) {
  if (keys.dtype() != key_dtype()) {
    return errors::InvalidArgument("table: keys must be ",
                                   DataTypeString(key_dtype()), ", got ",
                                   DataTypeString(keys.dtype()));
  }
  return CheckKeyShape(keys.shape());
}

Status LookupInterface::CheckFindArguments(const Tensor& keys,
                                           const Tensor& default_value) {
  TF_RETURN_IF_ERROR(CheckKeyAndValueTypes(keys, default_value));
  TF_RETURN_IF_ERROR(CheckKeyShape(keys.shape()));
  TensorShape each = keys.shape();
  each.RemoveLastDims(key_shape().dims());
  each.AppendShape(value_shape());
  if (default_value.shape() != value_shape() && default_value.shape() != each) {
    return errors::InvalidArgument("table: the default must have shape ",
                                   value_shape().DebugString(), " or ",
                                   each.DebugString(), ", got ",
                                   default_value.shape().DebugString());
  }
  return Status();
}

}  // namespace lookup
}  // namespace tensorwright

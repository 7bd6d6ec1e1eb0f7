// SPDX-License-Identifier: Apache-2.0
// Protos in files.
#include <string>

#include "core/lib/core/errors.h"
#include "core/platform/env.h"
#include "core/platform/protobuf.h"
#include "google/protobuf/text_format.h"

namespace tensorwright {

Status ReadBinaryProto(Env* env, const std::string& name,
                       google::protobuf::MessageLite* proto) {
  std::string data;
  TF_RETURN_IF_ERROR(ReadFileToString(env, name, &data));
  if (!proto->ParseFromString(data)) {
    return errors::DataLoss("Cannot parse ", name, " as binary ",
                            proto->GetTypeName());
  }
  return OkStatus();
}

Status WriteBinaryProto(Env* env, const std::string& name,
                        const google::protobuf::MessageLite& proto) {
  return WriteStringToFile(env, name, proto.SerializeAsString());
}

Status ReadTextProto(Env* env, const std::string& name,
                     google::protobuf::Message* proto) {
  std::string text;
  TF_RETURN_IF_ERROR(ReadFileToString(env, name, &text));
  if (!google::protobuf::TextFormat::ParseFromString(text, proto)) {
    return errors::DataLoss("Cannot parse ", name, " as text ",
                            proto->GetTypeName());
  }
  return OkStatus();
}

Status WriteTextProto(Env* env, const std::string& name,
                      const google::protobuf::Message& proto) {
  std::string text;
  if (!google::protobuf::TextFormat::PrintToString(proto, &text)) {
    return errors::FailedPrecondition("Cannot print a ", proto.GetTypeName(),
                                      " for ", name);
  }
  return WriteStringToFile(env, name, text);
}

}  // namespace tensorwright

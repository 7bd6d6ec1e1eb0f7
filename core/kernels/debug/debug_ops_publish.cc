// SPDX-License-Identifier: Apache-2.0
#include "core/kernels/debug/debug_ops_publish.h"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <utility>

#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "core/framework/summary.pb.h"
#include "core/framework/tensor.pb.h"
#include "core/lib/core/errors.h"
#include "core/lib/io/path.h"
#include "core/platform/env.h"
#include "core/util/event.pb.h"

namespace tensorwright {
namespace {

constexpr absl::string_view kFileScheme = "file://";
constexpr absl::string_view kGrpcScheme = "grpc://";

bool HasScheme(const std::string& url, absl::string_view scheme) {
  return absl::StartsWithIgnoreCase(url, scheme);
}

// Puts a text between quotes.
std::string JsonString(absl::string_view text) {
  std::string json = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      absl::StrAppend(&json, "\\", std::string(1, c));
    } else if (static_cast<unsigned char>(c) < 0x20) {
      absl::StrAppendFormat(&json, "\\u%04x", static_cast<int>(c));
    } else {
      json.push_back(c);
    }
  }
  return json + "\"";
}

std::string EventOf(const DebugNodeKey& key, const Tensor& tensor,
                    uint64_t time_us) {
  Event event;
  event.set_wall_time(static_cast<double>(time_us));
  Summary::Value* value = event.mutable_summary()->add_value();
  value->set_node_name(key.Name());
  value->set_tag(key.node_name);
  SummaryMetadata::PluginData* plugin =
      value->mutable_metadata()->mutable_plugin_data();
  plugin->set_plugin_name("debugger");
  plugin->set_content(absl::StrCat("{\"device\":", JsonString(key.device_name),
                                   ",\"outputSlot\":", key.output_slot,
                                   ",\"numChunks\":1,\"chunkIndex\":0}"));
  if (tensor.IsInitialized()) {
    if (tensor.dtype() == DT_STRING) {
      tensor.AsProtoField(value->mutable_tensor());
    } else {
      tensor.AsProtoTensorContent(value->mutable_tensor());
    }
  } else {
    value->mutable_tensor()->set_dtype(tensor.dtype());
    tensor.shape().AsProto(value->mutable_tensor()->mutable_tensor_shape());
  }
  return event.SerializeAsString();
}

int64_t DiskBytesLimit() {
  constexpr int64_t kDefault = 100'000'000'000;
  const char* text = std::getenv("TFDBG_DISK_BYTES_LIMIT");
  int64_t limit = 0;
  return text != nullptr && absl::SimpleAtoi(text, &limit) && limit >= 0
             ? limit
             : kDefault;
}

// Counts the bytes that go to disk.
Status TakeDiskBytes(const DebugNodeKey& key, int64_t bytes) {
  static std::atomic<int64_t> used{0};
  static const int64_t limit = DiskBytesLimit();
  int64_t before = used.load();
  do {
    if (bytes > limit - before) {
      return errors::ResourceExhausted(
          "Dumps of debug tensors may take ", limit,
          " bytes of disk, and those of ", key.Name(), " would need ", bytes,
          " more than there is left; set TFDBG_DISK_BYTES_LIMIT to allow more");
    }
  } while (!used.compare_exchange_weak(before, before + bytes));
  return OkStatus();
}

Status DumpToFolder(Env* env, const DebugNodeKey& key, const Tensor& tensor,
                    uint64_t time_us, const std::string& folder) {
  const std::string stem =
      absl::StrCat(io::JoinPath(folder, key.Path()), "_", time_us);
  // The operating system would take the part before it for the whole path.
  if (absl::StrContains(stem, '\0')) {
    return errors::InvalidArgument("The path of a dump has a zero byte: ",
                                   absl::CEscape(stem));
  }
  const std::string dir(io::Dirname(stem));
  const Status made = env->RecursivelyCreateDir(dir);
  if (errors::IsPermissionDenied(made)) return made;
  if (!made.ok()) {
    return errors::FailedPrecondition("Cannot make the folder ", dir, ": ",
                                      made.error_message());
  }
  std::string path = stem;
  for (int i = 1; env->FileExists(path).ok(); ++i) {
    path = absl::StrCat(stem, "-", i);
  }
  return WriteStringToFile(env, path, EventOf(key, tensor, time_us));
}

}  // namespace

Status DebugNodeKey::Parse(const std::string& device_name,
                           absl::string_view tensor_name,
                           absl::string_view debug_op, DebugNodeKey* key) {
  const std::vector<std::string> parts = absl::StrSplit(tensor_name, ':');
  if (tensor_name.empty() || parts.size() > 2) {
    return errors::InvalidArgument(
        debug_op, ": tensor_name must be node:slot, got ", tensor_name);
  }
  key->device_name = device_name;
  key->node_name = parts[0];
  key->debug_op = std::string(debug_op);
  if (parts.size() == 2 && !absl::SimpleAtoi(parts[1], &key->output_slot)) {
    return errors::InvalidArgument(
        debug_op, ": tensor_name must be node:slot, got the slot ", parts[1]);
  }
  return OkStatus();
}

std::string DebugNodeKey::Name() const {
  return absl::StrCat(node_name, ":", output_slot, ":", debug_op);
}

std::string DebugNodeKey::Path() const {
  return io::JoinPath(
      absl::StrCat("_tfdbg_device_",
                   absl::StrReplaceAll(device_name, {{":", "_"}, {"/", ","}})),
      absl::StrCat(node_name, "_", output_slot, "_", debug_op));
}

Status PublishDebugTensor(Env* env, const DebugNodeKey& key,
                          const Tensor& tensor,
                          const std::vector<std::string>& urls) {
  const uint64_t time_us = env->NowMicros();
  int failed = 0;
  Status first;
  std::string failures;
  for (const std::string& url : urls) {
    if (HasScheme(url, kGrpcScheme)) {
      return errors::Unavailable("Cannot publish ", key.Name(), " to ", url,
                                 ": this library has no client of debug "
                                 "servers; file:// is for dumps");
    }
    if (!HasScheme(url, kFileScheme)) {
      return errors::InvalidArgument("Invalid debug target URL: ", url,
                                     "; it must begin with file://");
    }
    const int64_t bytes =
        tensor.IsInitialized() ? static_cast<int64_t>(tensor.TotalBytes()) : 0;
    TF_RETURN_IF_ERROR(TakeDiskBytes(key, bytes));
    const Status dumped =
        DumpToFolder(env, key, tensor, time_us, url.substr(kFileScheme.size()));
    if (!dumped.ok()) {
      ++failed;
      first.Update(dumped);
      absl::StrAppend(&failures, " ", dumped.error_message(), ";");
    }
  }
  if (failed == 0) return OkStatus();
  return Status(
      first.code(),
      absl::StrCat("Publishing ", key.Name(), " to ", failed, " of ",
                   urls.size(), " debug target URLs failed:", failures));
}

bool IsDebugGateOpen(const std::vector<std::string>& urls) {
  return std::any_of(urls.begin(), urls.end(), [](const std::string& url) {
    return !HasScheme(url, kGrpcScheme);
  });
}

}  // namespace tensorwright

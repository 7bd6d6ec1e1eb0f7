// SPDX-License-Identifier: Apache-2.0
// Messages as cords.
#include "core/distributed_runtime/wire.h"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "core/distributed_runtime/protocol.h"
#include "core/framework/tensor.pb.h"
#include "core/framework/types.h"
#include "core/lib/core/errors.h"
#include "core/protobuf/named_tensor.pb.h"
#include "google/protobuf/io/coded_stream.h"
#include "google/protobuf/io/zero_copy_stream_impl_lite.h"
#include "google/protobuf/stubs/logging.h"
#include "google/protobuf/wire_format_lite.h"

namespace tensorwright {
namespace {

using google::protobuf::MessageLite;
using google::protobuf::internal::WireFormatLite;
using google::protobuf::io::CodedInputStream;
using google::protobuf::io::CodedOutputStream;
using google::protobuf::io::StringOutputStream;
using google::protobuf::io::ZeroCopyInputStream;

// Reads a cord piece by piece.  The cord outlives it.
class CordInput final : public ZeroCopyInputStream {
 public:
  explicit CordInput(const absl::Cord& cord)
      : at_(cord.chunk_begin()), end_(cord.chunk_end()) {}

  bool Next(const void** data, int* size) override {
    if (left_ == 0) {
      if (started_ && at_ != end_) ++at_;
      started_ = true;
      while (at_ != end_ && at_->empty()) ++at_;
      if (at_ == end_) return false;
      left_ = at_->size();
    }
    *data = at_->data() + (at_->size() - left_);
    // Protobuf can take at most an int at a time.
    *size = static_cast<int>(std::min<size_t>(left_, 1 << 30));
    left_ -= *size;
    read_ += *size;
    return true;
  }
  void BackUp(int count) override {
    left_ += count;
    read_ -= count;
  }
  bool Skip(int count) override {
    const void* data;
    int size;
    while (count > 0) {
      if (!Next(&data, &size)) return false;
      if (size > count) BackUp(size - count);
      count -= std::min(count, size);
    }
    return true;
  }
  int64_t ByteCount() const override { return read_; }

 private:
  absl::Cord::ChunkIterator at_;
  const absl::Cord::ChunkIterator end_;
  bool started_ = false;
  size_t left_ = 0;  // The number of bytes left of *at_.
  int64_t read_ = 0;
};

uint32_t LengthTag(int number) {
  return WireFormatLite::MakeTag(number,
                                 WireFormatLite::WIRETYPE_LENGTH_DELIMITED);
}

void AppendHeader(int number, size_t length, absl::Cord* out) {
  uint8_t bytes[20];
  uint8_t* end = CodedOutputStream::WriteTagToArray(LengthTag(number), bytes);
  end = CodedOutputStream::WriteVarint64ToArray(length, end);
  out->Append(absl::string_view(reinterpret_cast<char*>(bytes), end - bytes));
}

// The bytes of a TensorProto.
absl::Cord EncodeTensor(const Tensor& value) {
  TensorProto proto;
  if (!DataTypeCanUseMemcpy(value.dtype()) ||
      value.TotalBytes() < kMinSharedBytes) {
    value.AsProtoTensorContent(&proto);
    return absl::Cord(proto.SerializeAsString());
  }
  proto.set_dtype(value.dtype());
  value.shape().AsProto(proto.mutable_tensor_shape());
  absl::Cord out(proto.SerializeAsString());
  const absl::string_view elements = value.tensor_data();
  AppendHeader(TensorProto::kTensorContentFieldNumber, elements.size(), &out);
  out.Append(absl::MakeCordFromExternal(elements, [value] {}));
  return out;
}

// One message, or one inside another: reads tags up to its end.
// `field(tag, &handled)` reads a field if it wants it; the others are copied to
// *rest.
template <typename Field>
bool ReadFields(CodedInputStream* in, std::string* rest, const Field& field) {
  StringOutputStream stream(rest);
  CodedOutputStream out(&stream);
  for (;;) {
    const uint32_t tag = in->ReadTagNoLastTag();
    if (tag == 0) return in->BytesUntilLimit() == 0;
    bool handled = false;
    if (!field(tag, &handled)) return false;
    if (!handled && !WireFormatLite::SkipField(in, tag, &out)) return false;
  }
}

// Reads a length, and calls read(length) with the input limited to that.
template <typename Read>
bool ReadLengthed(CodedInputStream* in, const Read& read) {
  int length = 0;
  if (!in->ReadVarintSizeAsInt(&length) || length > in->BytesUntilLimit()) {
    return false;
  }
  const CodedInputStream::Limit limit = in->PushLimit(length);
  if (!read(length) || in->BytesUntilLimit() != 0) return false;
  in->PopLimit(limit);
  return true;
}

// Reads the elements into a tensor, if the fields before give its dtype and
// shape; otherwise leaves them to protobuf: sets *direct to false, and reads
// nothing.
bool ReadContent(CodedInputStream* in, int length, const TensorProto& header,
                 Tensor* value, bool* direct) {
  *direct = false;
  TensorShape shape;
  // A byte other than 0 and 1 in a bool is undefined behaviour.
  if (!DataTypeCanUseMemcpy(header.dtype()) || header.dtype() == DT_BOOL ||
      !TensorShape::BuildTensorShape(header.tensor_shape(), &shape).ok() ||
      length == 0 ||
      shape.num_elements() != length / DataTypeSize(header.dtype()) ||
      length % DataTypeSize(header.dtype()) != 0) {
    return true;
  }
  Tensor made;
  if (!Tensor::Allocate(cpu_allocator(), header.dtype(), shape, &made).ok()) {
    return false;
  }
  *direct = true;
  if (!in->ReadRaw(made.data(), length)) return false;
  *value = std::move(made);
  return true;
}

// Reads a TensorProto up to the input's limit.  False if it is malformed;
// *status tells more if it is not OK.
bool ReadTensor(CodedInputStream* in, Tensor* value, Status* status) {
  TensorProto header;
  bool direct = false;
  std::string rest;
  const bool read = ReadFields(in, &rest, [&](uint32_t tag, bool* handled) {
    *handled = true;
    if (tag == LengthTag(TensorProto::kTensorShapeFieldNumber)) {
      return ReadLengthed(in, [&](int length) {
        std::string bytes;
        return in->ReadString(&bytes, length) &&
               header.mutable_tensor_shape()->MergeFromString(bytes);
      });
    }
    if (tag == LengthTag(TensorProto::kTensorContentFieldNumber)) {
      return ReadLengthed(in, [&](int length) {
        return ReadContent(in, length, header, value, &direct) &&
               (direct ||
                in->ReadString(header.mutable_tensor_content(), length));
      });
    }
    uint64_t dtype = 0;
    if (tag == WireFormatLite::MakeTag(TensorProto::kDtypeFieldNumber,
                                       WireFormatLite::WIRETYPE_VARINT)) {
      if (!in->ReadVarint64(&dtype)) return false;
      header.set_dtype(static_cast<DataType>(static_cast<int>(dtype)));
      return true;
    }
    *handled = false;
    return true;
  });
  if (!read) return false;
  if (direct) return true;
  if (!header.MergeFromString(rest)) return false;
  *status = Tensor::ParseProto(header, value);
  return status->ok();
}

bool ReadNamedTensor(CodedInputStream* in, NamedTensor* named, Status* status) {
  std::string rest;
  return ReadFields(in, &rest, [&](uint32_t tag, bool* handled) {
    *handled = true;
    if (tag == LengthTag(NamedTensorProto::kNameFieldNumber)) {
      return ReadLengthed(
          in, [&](int length) { return in->ReadString(&named->name, length); });
    }
    if (tag == LengthTag(NamedTensorProto::kTensorFieldNumber)) {
      return ReadLengthed(
          in, [&](int) { return ReadTensor(in, &named->value, status); });
    }
    *handled = false;
    return true;
  });
}

Status Malformed(const MessageLite& message, const Status& why) {
  std::string type = message.GetTypeName();
  if (why.ok()) {
    return errors::InvalidArgument("The bytes of a ", type, " are malformed");
  }
  return errors::InvalidArgument("A tensor in a ", type,
                                 " is malformed: ", why.message());
}

template <typename Item, typename Read>
Status DecodeItems(const absl::Cord& bytes, int number, MessageLite* rest,
                   std::vector<Item>* items, const Read& read) {
  if (bytes.size() > INT32_MAX) {
    return errors::ResourceExhausted("A message of ", bytes.size(),
                                     " bytes is longer than 2 GB");
  }
  // Protobuf would write a line for each malformed text that a stranger sends.
  const google::protobuf::LogSilencer silencer;
  CordInput input(bytes);
  CodedInputStream in(&input);
  in.SetTotalBytesLimit(INT32_MAX);
  in.PushLimit(static_cast<int>(bytes.size()));
  std::string others;
  Status status;
  const bool ok = ReadFields(&in, &others, [&](uint32_t tag, bool* handled) {
    if (tag != LengthTag(number)) return true;
    *handled = true;
    return ReadLengthed(
        &in, [&](int) { return read(&in, &items->emplace_back(), &status); });
  });
  if (ok && rest->ParseFromString(others)) return OkStatus();
  return Malformed(*rest, status);
}

}  // namespace

absl::Cord Encode(const MessageLite& message) {
  return absl::Cord(message.SerializeAsString());
}

Status Decode(const absl::Cord& bytes, MessageLite* message) {
  if (bytes.size() > INT32_MAX) {
    return errors::ResourceExhausted("A message of ", bytes.size(),
                                     " bytes is longer than 2 GB");
  }
  const google::protobuf::LogSilencer silencer;
  CordInput input(bytes);
  if (message->ParseFromZeroCopyStream(&input)) return OkStatus();
  return Malformed(*message, OkStatus());
}

void AppendTensor(int number, const Tensor& value, absl::Cord* message) {
  absl::Cord tensor = EncodeTensor(value);
  AppendHeader(number, tensor.size(), message);
  message->Append(std::move(tensor));
}

void AppendNamedTensor(int number, absl::string_view name, const Tensor& value,
                       absl::Cord* message) {
  absl::Cord named;
  AppendHeader(NamedTensorProto::kNameFieldNumber, name.size(), &named);
  named.Append(name);
  AppendTensor(NamedTensorProto::kTensorFieldNumber, value, &named);
  AppendHeader(number, named.size(), message);
  message->Append(std::move(named));
}

Status DecodeWithNamedTensors(const absl::Cord& bytes, int number,
                              MessageLite* rest,
                              std::vector<NamedTensor>* tensors) {
  return DecodeItems(bytes, number, rest, tensors, ReadNamedTensor);
}

Status DecodeWithTensors(const absl::Cord& bytes, int number, MessageLite* rest,
                         std::vector<Tensor>* tensors) {
  return DecodeItems(bytes, number, rest, tensors, ReadTensor);
}

void AddCallStats(const std::string& call, absl::Time begun, absl::Time ended,
                  DeviceStepStats* row) {
  const int64_t micros = absl::ToInt64Microseconds(ended - begun);
  NodeExecStats* const stats = row->add_node_stats();
  stats->set_node_name(call);
  stats->set_timeline_label(absl::StrCat(call, " = RPC()"));
  stats->set_all_start_micros(absl::ToUnixMicros(begun));
  stats->set_op_end_rel_micros(micros);
  stats->set_all_end_rel_micros(micros);
}

namespace {
constexpr absl::string_view kNodeOpen = "[[{{node ";
constexpr absl::string_view kNodeClose = "}}]]";
}  // namespace

std::string ErrorText(const Status& status) {
  std::string text(status.message());
  // The middle of a long text tells the least.
  if (text.size() > kMaxErrorBytes) {
    const size_t half = kMaxErrorBytes / 2;
    text = absl::StrCat(text.substr(0, half), "\n...\n",
                        text.substr(text.size() - half));
  }
  const std::string node = errors::FailedNode(status);
  if (node.empty()) return text;
  const std::string note = absl::StrCat(kNodeOpen, node, kNodeClose);
  if (text.find(note) != std::string::npos) return text;
  return absl::StrCat(text, "\n\t ", note);
}

Status ErrorFromText(int code, absl::string_view text) {
  if (code == 0) return OkStatus();
  if (code < 0 || code > error::UNAUTHENTICATED) code = error::UNKNOWN;
  const size_t open = text.find(kNodeOpen);
  absl::string_view node;
  if (open != absl::string_view::npos) {
    node = text.substr(open + kNodeOpen.size());
    node = node.substr(0, node.find_first_of("} "));
    // ErrorText puts a note at the end.
    const absl::string_view end = text.substr(open);
    const size_t close = end.find(kNodeClose);
    if (close + kNodeClose.size() == end.size()) {
      text = text.substr(0, open);
      while (!text.empty() && absl::ascii_isspace(text.back())) {
        text.remove_suffix(1);
      }
    }
  }
  const Status status(static_cast<error::Code>(code), text);
  return node.empty() ? status : errors::AttachNode(status, node);
}

}  // namespace tensorwright

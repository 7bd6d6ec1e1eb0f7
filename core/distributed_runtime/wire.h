// SPDX-License-Identifier: Apache-2.0
// Messages as they travel: cords of bytes, with the elements of tensors in them
// by reference.
//
// A tensor of numbers is written without copying its elements: the cord holds a
// reference to its buffer until it has been sent.  It is read with one copy,
// from the pieces that the network gave into the tensor's own buffer; no proto
// holds the elements in between.  So a message with tensors is not parsed in
// one go: ParseWithTensors takes the tensors out and leaves the rest to
// protobuf.
//
// Bytes may come from a stranger: every length is checked against the rest of
// the message before memory is taken for it.  Failures: InvalidArgument, which
// names the message.
#ifndef TENSORWRIGHT_CORE_DISTRIBUTED_RUNTIME_WIRE_H_
#define TENSORWRIGHT_CORE_DISTRIBUTED_RUNTIME_WIRE_H_

#include <cstddef>
#include <string>
#include <vector>

#include "absl/strings/cord.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "core/framework/step_stats.pb.h"
#include "core/framework/tensor.h"
#include "core/lib/core/status.h"
#include "google/protobuf/message_lite.h"

namespace tensorwright {

// Bytes of a piece of a message from which on it is shared; a smaller one is
// copied, which costs less than a piece of its own.
inline constexpr size_t kMinSharedBytes = 2048;

struct NamedTensor {
  std::string name;
  Tensor value;
};

absl::Cord Encode(const google::protobuf::MessageLite& message);
Status Decode(const absl::Cord& bytes, google::protobuf::MessageLite* message);

// Appends field `number` of a message, a TensorProto or a NamedTensorProto.
void AppendTensor(int number, const Tensor& value, absl::Cord* message);
void AppendNamedTensor(int number, absl::string_view name, const Tensor& value,
                       absl::Cord* message);

// Puts every field `number`, which is a NamedTensorProto, into *tensors in the
// order of the message, and the other fields into *rest.
Status DecodeWithNamedTensors(const absl::Cord& bytes, int number,
                              google::protobuf::MessageLite* rest,
                              std::vector<NamedTensor>* tensors);
// The same for TensorProtos.
Status DecodeWithTensors(const absl::Cord& bytes, int number,
                         google::protobuf::MessageLite* rest,
                         std::vector<Tensor>* tensors);

// Adds a call to a row of a timeline.
void AddCallStats(const std::string& call, absl::Time begun, absl::Time ended,
                  DeviceStepStats* row);

// The text of a status in a reply, with the name of its node in the form that
// TensorFlow's clients look for; and a status from that text.
std::string ErrorText(const Status& status);
Status ErrorFromText(int code, absl::string_view text);

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_DISTRIBUTED_RUNTIME_WIRE_H_

// SPDX-License-Identifier: Apache-2.0
// Tests of shape functions, in one line a case.
//
//   ShapeInferenceTestOp op("MatMul");
//   op.SetAttr("T", DT_FLOAT);
//   INFER_OK(op, "[2,3];[3,4]", "[d0_0,d1_1]");
//   INFER_ERROR("inner dimensions 3 and 4 must be equal", op, "[2,3];[4,5]");
//
// Inputs are shapes joined by ";": "?" of unknown rank, "[1,?,3]" with an
// unknown dimension.  Expected outputs, likewise joined by ";", are
//   ?           unknown rank
//   in0, in0|in1  the very shape of that input (of one of them)
//   [2,?,d0_1]  a size, an unknown new dimension, dimension 1 of input 0;
//               "d0_1|d1_0" is one of the two
// and "e" anywhere means whatever there is.
#ifndef TENSORWRIGHT_CORE_FRAMEWORK_SHAPE_INFERENCE_TESTUTIL_H_
#define TENSORWRIGHT_CORE_FRAMEWORK_SHAPE_INFERENCE_TESTUTIL_H_

#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/string_view.h"
#include "core/framework/attr_value.pb.h"
#include "core/framework/attr_value_util.h"
#include "core/framework/node_def.pb.h"
#include "core/framework/tensor.h"
#include "core/lib/core/status.h"
#include "gtest/gtest.h"

namespace tensorwright {

struct ShapeInferenceTestOp {
  explicit ShapeInferenceTestOp(std::string op_name)
      : name(std::move(op_name)) {
    node_def.set_op(name);
    node_def.set_name("test");
  }

  // Attrs that are not set get their defaults.
  template <typename T>
  ShapeInferenceTestOp& SetAttr(const std::string& attr, const T& value) {
    SetAttrValue(value, &(*node_def.mutable_attr())[attr]);
    return *this;
  }
  // {1, 2, 2, 1}
  template <typename T>
  ShapeInferenceTestOp& SetAttr(const std::string& attr,
                                std::initializer_list<T> value) {
    SetAttrValue(value, &(*node_def.mutable_attr())[attr]);
    return *this;
  }

  std::string name;
  NodeDef node_def;
  // Empty, or one per input: its value, or null.
  std::vector<const Tensor*> input_tensors;
};

// OK if the shape function accepts the inputs and gives the outputs; else an
// error that tells the difference.
Status InferShapes(const ShapeInferenceTestOp& op, absl::string_view inputs,
                   absl::string_view expected_outputs);

}  // namespace tensorwright

#define INFER_OK(op, inputs, outputs)                             \
  do {                                                            \
    ::tensorwright::Status s_ =                                   \
        ::tensorwright::InferShapes((op), (inputs), (outputs));   \
    EXPECT_TRUE(s_.ok()) << s_.ToString() << " for " << (inputs); \
  } while (0)

#define INFER_ERROR(words, op, inputs)                          \
  do {                                                          \
    ::tensorwright::Status s_ =                                 \
        ::tensorwright::InferShapes((op), (inputs), "e");       \
    EXPECT_FALSE(s_.ok()) << (inputs);                          \
    EXPECT_TRUE(absl::StrContains(s_.error_message(), (words))) \
        << "got: " << s_.ToString() << "\nwanted: " << (words); \
  } while (0)

#endif  // TENSORWRIGHT_CORE_FRAMEWORK_SHAPE_INFERENCE_TESTUTIL_H_

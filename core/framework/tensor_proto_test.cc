// SPDX-License-Identifier: Apache-2.0
#include <cstring>
#include <string>
#include <utility>

#include "core/framework/numeric_types.h"
#include "core/framework/resource_handle.h"
#include "core/framework/tensor.h"
#include "core/framework/tensor.pb.h"
#include "core/framework/tensor_util.h"
#include "core/framework/variant.h"
#include "core/framework/variant_op_registry.h"
#include "core/framework/variant_tensor_data.h"
#include "core/lib/core/coding.h"
#include "core/lib/core/errors.h"
#include "core/platform/protobuf.h"
#include "gtest/gtest.h"

namespace tensorwright {
namespace {

// Every byte of the elements is different, and bools are 0 or 1.
Tensor Filled(DataType dtype, const TensorShape& shape) {
  Tensor t(dtype, shape);
  if (dtype == DT_STRING) {
    for (int64_t i = 0; i < t.NumElements(); ++i) {
      t.base<std::string>()[i] = std::string(i * 50, 'a' + i % 26);
    }
  } else if (DataTypeCanUseMemcpy(dtype)) {
    for (int64_t i = 0; i < t.NumElements() * DataTypeSize(dtype); ++i) {
      t.base<uint8_t>()[i] = dtype == DT_BOOL ? i % 2 : (i * 37) % 120;
    }
  }
  return t;
}

TEST(TensorProtoTest, EveryTypeReadsBackFromBothForms) {
  for (DataType dtype : AllTypes()) {
    if (dtype == DT_RESOURCE || dtype == DT_VARIANT) continue;
    for (const TensorShape& shape :
         {TensorShape(), TensorShape({0}), TensorShape({2, 3})}) {
      const Tensor t = Filled(dtype, shape);
      TensorProto field, content;
      t.AsProtoField(&field);
      t.AsProtoTensorContent(&content);
      Tensor back;
      ASSERT_TRUE(back.FromProto(field)) << t.DebugString();
      EXPECT_TRUE(tensor::BitwiseEqual(t, back)) << t.DebugString();
      ASSERT_TRUE(back.FromProto(content)) << t.DebugString();
      EXPECT_TRUE(tensor::BitwiseEqual(t, back)) << t.DebugString();
    }
  }
}

TEST(TensorProtoTest, HandlesReadBack) {
  Tensor t(DT_RESOURCE, TensorShape({1}));
  auto& handle = t.scalar_value<ResourceHandle>();
  handle.set_name("n");
  handle.set_dtypes_and_shapes({{DT_FLOAT, PartialTensorShape({2, -1})}});
  TensorProto proto;
  t.AsProtoTensorContent(&proto);
  Tensor back;
  ASSERT_TRUE(back.FromProto(proto));
  EXPECT_EQ(back.scalar_value<ResourceHandle>().DebugString(),
            handle.DebugString());
  EXPECT_EQ(back.scalar_value<ResourceHandle>()
                .dtypes_and_shapes()[0]
                .shape.DebugString(),
            "[2,?]");
}

TEST(TensorProtoTest, LastValueIsRepeated) {
  TensorProto proto;
  ASSERT_TRUE(protobuf::TextFormat::ParseFromString(
      "dtype: DT_INT32 tensor_shape { dim { size: 4 } } int_val: [1, 2]",
      &proto));
  Tensor t;
  ASSERT_TRUE(t.FromProto(proto));
  EXPECT_EQ(t.SummarizeValue(9), "1 2 2 2");
  proto.clear_int_val();
  ASSERT_TRUE(t.FromProto(proto));
  EXPECT_EQ(t.SummarizeValue(9), "0 0 0 0");
}

// A stranger may send these.
TEST(TensorProtoTest, MalformedProtosAreErrors) {
  for (const char* text : {
           "",
           "dtype: DT_FLOAT_REF",
           "dtype: 99",
           "dtype: DT_FLOAT tensor_shape { unknown_rank: true }",
           "dtype: DT_FLOAT tensor_shape { dim { size: -1 } }",
           "dtype: DT_FLOAT tensor_shape { dim { size: 3 } } "
           "tensor_content: '12345678'",
           "dtype: DT_FLOAT tensor_shape { dim { size: 4611686018427387904 } } "
           "tensor_content: ''",
           "dtype: DT_FLOAT tensor_shape { dim { size: 1099511627776 } "
           "dim { size: 1099511627776 } } float_val: 1",
           "dtype: DT_FLOAT tensor_shape { dim { size: 1099511627776 } } "
           "float_val: 1",
           "dtype: DT_STRING tensor_shape { dim { size: 1099511627776 } } "
           "string_val: 'a'",
           "dtype: DT_STRING tensor_shape { dim { size: 2 } } "
           "tensor_content: '\\001\\377'",
           "dtype: DT_STRING tensor_shape { dim { size: 2 } } "
           "tensor_content: '\\001\\001a'",
           "dtype: DT_STRING tensor_shape { dim { size: 1 } } "
           "tensor_content: '\\001ab'",
           "dtype: DT_RESOURCE tensor_shape { dim { size: 1 } } "
           "tensor_content: 'x'",
           "dtype: DT_VARIANT",
       }) {
    TensorProto proto;
    ASSERT_TRUE(protobuf::TextFormat::ParseFromString(text, &proto)) << text;
    Tensor t = Tensor(1.0f);
    const Status s = Tensor::ParseProto(proto, &t);
    EXPECT_FALSE(s.ok()) << text;
    EXPECT_EQ(t.scalar_value<float>(), 1.0f) << "changed by " << text;
  }
}

TEST(TensorProtoTest, ContentOfBoolsIsNormalised) {
  TensorProto proto;
  proto.set_dtype(DT_BOOL);
  proto.mutable_tensor_shape()->add_dim()->set_size(2);
  proto.set_tensor_content(std::string("\x02\x00", 2));
  Tensor t;
  ASSERT_TRUE(t.FromProto(proto));
  EXPECT_EQ(memcmp(t.data(), "\x01\x00", 2), 0);
}

// A type that holds a tensor and has a proto.
struct Boxed {
  Tensor tensor;
  std::string TypeName() const { return "test::Boxed"; }
  void Encode(VariantTensorData* data) const { *data->add_tensors() = tensor; }
  bool Decode(const VariantTensorData& data) {
    if (data.tensors_size() != 1) return false;
    tensor = data.tensors(0);
    return true;
  }
};
REGISTER_UNARY_VARIANT_DECODE_FUNCTION(Boxed, "test::Boxed");

Tensor Box(Tensor inner) {
  Tensor t(DT_VARIANT, TensorShape());
  t.scalar_value<Variant>() = Boxed{std::move(inner)};
  return t;
}

int DepthOf(Tensor t) {
  int depth = 0;
  for (; t.dtype() == DT_VARIANT; ++depth) {
    const Boxed* boxed = t.scalar_value<Variant>().get<Boxed>();
    if (boxed == nullptr) break;
    Tensor inner = boxed->tensor;
    t = std::move(inner);
  }
  return depth;
}

TEST(TensorProtoTest, VariantsInVariantsReadBack) {
  Tensor t(7);
  for (int i = 0; i < 20; ++i) t = Box(std::move(t));
  TensorProto proto;
  t.AsProtoField(&proto);
  Tensor back;
  ASSERT_TRUE(Tensor::ParseProto(proto, &back).ok());
  EXPECT_EQ(DepthOf(back), 20);
}

TEST(TensorProtoTest, VariantsTooDeepAreNotWritten) {
  Tensor t(7);
  for (int i = 0; i < 100000; ++i) t = Box(std::move(t));
  TensorProto proto;
  t.AsProtoField(&proto);
  EXPECT_LT(proto.ByteSizeLong(), 100000u);
}

// Each variant is bytes in the content of the next, so that the parser of
// protos does not count them.
TEST(TensorProtoTest, VariantsTooDeepInContentAreErrors) {
  for (const int depth : {50, 3000}) {
    TensorProto proto;
    Tensor(7).AsProtoField(&proto);
    for (int i = 0; i < depth; ++i) {
      VariantTensorDataProto data;
      data.set_type_name("test::Boxed");
      *data.add_tensors() = proto;
      const std::string bytes = data.SerializeAsString();
      std::string content;
      core::PutVarint64(&content, bytes.size());
      proto.Clear();
      proto.set_dtype(DT_VARIANT);
      proto.mutable_tensor_shape();
      proto.set_tensor_content(content + bytes);
    }
    Tensor back;
    const Status status = Tensor::ParseProto(proto, &back);
    if (depth == 50) {
      ASSERT_TRUE(status.ok()) << status;
      EXPECT_EQ(DepthOf(back), depth);
    } else {
      EXPECT_TRUE(errors::IsInvalidArgument(status)) << status;
    }
  }
}

}  // namespace
}  // namespace tensorwright

// SPDX-License-Identifier: Apache-2.0
#include "core/framework/types.h"

#include "core/framework/numeric_types.h"
#include "core/framework/register_types.h"
#include "gtest/gtest.h"

namespace tensorwright {
namespace {

TEST(TypesTest, NamesReadBack) {
  for (DataType dtype : AllTypes()) {
    DataType back;
    ASSERT_TRUE(DataTypeFromString(DataTypeString(dtype), &back));
    EXPECT_EQ(back, dtype);
    const DataType ref = MakeRefType(dtype);
    ASSERT_TRUE(DataTypeFromString(DataTypeString(ref), &back));
    EXPECT_EQ(back, ref);
    EXPECT_EQ(BaseType(ref), dtype);
    EXPECT_TRUE(TypesCompatible(dtype, ref));
    EXPECT_FALSE(TypesCompatible(ref, dtype));
  }
}

TEST(TypesTest, AliasesAndNonsense) {
  DataType dtype;
  EXPECT_TRUE(DataTypeFromString("float32_ref", &dtype));
  EXPECT_EQ(dtype, DT_FLOAT_REF);
  EXPECT_FALSE(DataTypeFromString("", &dtype));
  EXPECT_FALSE(DataTypeFromString("_ref", &dtype));
  EXPECT_FALSE(DataTypeFromString("INVALID", &dtype));
  EXPECT_EQ(DataTypeString(static_cast<DataType>(77)), "unknown dtype 77");
  EXPECT_EQ(DataTypeSize(static_cast<DataType>(77)), 0);
  EXPECT_EQ(DataTypeSize(static_cast<DataType>(-5)), 0);
}

TEST(TypesTest, SizesAreThoseOfTheCppTypes) {
#define CHECK_SIZE(T)                               \
  EXPECT_EQ(DataTypeSize(DataTypeToEnum<T>::value), \
            static_cast<int>(sizeof(T)));
  TF_CALL_ALL_TYPES(CHECK_SIZE)
  TF_CALL_QUANTIZED_TYPES(CHECK_SIZE)
#undef CHECK_SIZE
}

TEST(TypesTest, EveryTypeHasOneKind) {
  for (DataType dtype : AllTypes()) {
    const int kinds = DataTypeIsInteger(dtype) + DataTypeIsFloating(dtype) +
                      DataTypeIsComplex(dtype) + DataTypeIsQuantized(dtype);
    const bool none = dtype == DT_BOOL || !DataTypeCanUseMemcpy(dtype);
    EXPECT_EQ(kinds, none ? 0 : 1) << DataTypeString(dtype);
  }
}

TEST(TypesTest, VectorsPrint) {
  EXPECT_EQ(DataTypeVectorString({DT_HALF, DT_INT32_REF}), "[half, int32_ref]");
}

TEST(TypesTest, DeviceNames) {
  EXPECT_STREQ(DeviceName<Eigen::ThreadPoolDevice>::value, "CPU");
  EXPECT_EQ(DeviceType(DEVICE_GPU), DeviceType("GPU"));
}

}  // namespace
}  // namespace tensorwright

// SPDX-License-Identifier: Apache-2.0
#include "core/framework/tensor.h"

#include <numeric>
#include <utility>

#include "core/framework/resource_handle.h"
#include "core/framework/tensor_types.h"
#include "core/framework/tensor_util.h"
#include "core/framework/variant.h"
#include "core/lib/core/catch_exceptions.h"
#include "core/lib/core/errors.h"
#include "gtest/gtest.h"

namespace tensorwright {
namespace {

Tensor Iota(const TensorShape& shape) {
  Tensor t(DT_FLOAT, shape);
  std::iota(t.base<float>(), t.base<float>() + t.NumElements(), 0.0f);
  return t;
}

TEST(TensorTest, DefaultHasNoElements) {
  Tensor t;
  EXPECT_EQ(t.dtype(), DT_FLOAT);
  EXPECT_EQ(t.shape(), TensorShape({0}));
  EXPECT_TRUE(t.IsInitialized());
  EXPECT_TRUE(Flat<float>(t).empty());
}

TEST(TensorTest, BuffersAreAligned) {
  for (DataType dtype : AllTypes()) {
    Tensor t(dtype, TensorShape({3}));
    EXPECT_TRUE(t.IsInitialized()) << DataTypeString(dtype);
    EXPECT_TRUE(t.IsAligned());
  }
}

TEST(TensorTest, Scalars) {
  EXPECT_EQ(Tensor(3.5).scalar_value<double>(), 3.5);
  EXPECT_EQ(Tensor(int64_t{7}).dtype(), DT_INT64);
  EXPECT_EQ(Tensor("text").scalar_value<std::string>(), "text");
  EXPECT_EQ(Tensor(true).scalar_value<bool>(), true);
}

TEST(TensorTest, ImpossibleTensorsAreErrors) {
  Tensor t;
  EXPECT_TRUE(errors::IsInvalidArgument(
      Tensor::BuildTensor(DT_FLOAT, TensorShape({-1}), &t)));
  EXPECT_TRUE(errors::IsInvalidArgument(
      Tensor::BuildTensor(DT_DOUBLE, TensorShape({int64_t{1} << 61}), &t)));
  EXPECT_TRUE(errors::IsResourceExhausted(
      Tensor::BuildTensor(DT_DOUBLE, TensorShape({int64_t{1} << 55}), &t)));
  EXPECT_TRUE(errors::IsInvalidArgument(
      Tensor::BuildTensor(DT_FLOAT_REF, TensorShape({1}), &t)));
  EXPECT_TRUE(errors::IsInvalidArgument(
      Tensor::BuildTensor(DT_INVALID, TensorShape({1}), &t)));
  const TensorShape large({int64_t{1} << 55});
  EXPECT_THROW(Tensor(DT_DOUBLE, large), OutOfMemory);
  EXPECT_FALSE(Tensor(cpu_allocator(), DT_DOUBLE, large).IsInitialized());
  EXPECT_FALSE(Tensor(DT_FLOAT, TensorShape({-1})).IsInitialized());
}

TEST(TensorTest, CopiesShareAndCount) {
  Tensor a = Iota({4});
  EXPECT_TRUE(a.RefCountIsOne());
  {
    Tensor b = a;
    EXPECT_TRUE(a.SharesBufferWith(b));
    EXPECT_FALSE(a.RefCountIsOne());
  }
  EXPECT_TRUE(a.RefCountIsOne());
  Tensor c = a.DeepCopy();
  EXPECT_FALSE(a.SharesBufferWith(c));
  EXPECT_TRUE(tensor::BitwiseEqual(a, c));
  Tensor moved = std::move(a);
  EXPECT_TRUE(moved.RefCountIsOne());
}

TEST(TensorTest, ReshapeSharesAndRefusesOtherSizes) {
  Tensor a = Iota({2, 3});
  Tensor b;
  EXPECT_TRUE(b.CopyFrom(a, TensorShape({3, 2})));
  EXPECT_TRUE(a.SharesBufferWith(b));
  EXPECT_FALSE(b.CopyFrom(a, TensorShape({4})));
  EXPECT_FALSE(b.CopyFrom(a, TensorShape({-6})));
  EXPECT_EQ(b.shape(), TensorShape({3, 2}));
  EXPECT_TRUE(b.CopyFrom(b, TensorShape({6})));
}

TEST(TensorTest, SlicesKeepTheBufferAlive) {
  Tensor slice, nested;
  {
    Tensor a = Iota({5, 2});
    slice = a.Slice(1, 4);
    nested = slice.SubSlice(2);
    EXPECT_TRUE(slice.SharesBufferWith(a));
    EXPECT_FALSE(slice.RefCountIsOne());
  }
  EXPECT_EQ(slice.shape(), TensorShape({3, 2}));
  EXPECT_EQ(Flat<float>(slice)[0], 2.0f);
  EXPECT_EQ(nested.shape(), TensorShape({2}));
  EXPECT_EQ(Flat<float>(nested)[1], 7.0f);
  EXPECT_EQ(slice.Slice(1, 1).NumElements(), 0);
  EXPECT_EQ(Tensor(DT_FLOAT, TensorShape({0, 3})).Slice(0, 0).dims(), 2);
}

TEST(TensorTest, EigenViewsSeeTheSameElements) {
  Tensor t = Iota({2, 3, 4});
  EXPECT_EQ((t.tensor<float, 3>()(1, 2, 3)), 23.0f);
  EXPECT_EQ(t.flat<float>()(5), 5.0f);
  EXPECT_EQ((t.flat_inner_dims<float>()(5, 1)), 21.0f);
  EXPECT_EQ((t.flat_outer_dims<float>()(1, 2)), 14.0f);
  EXPECT_EQ((t.flat_inner_dims<float, 4>().dimension(0)), 1);
  EXPECT_EQ((t.flat_inner_outer_dims<float, 2>(1).dimension(0)), 6);
  EXPECT_EQ((t.shaped<float, 2>({4, 6})(3, 5)), 23.0f);
  EXPECT_EQ((t.bit_casted_tensor<int32_t, 3>()(0, 0, 1)), 0x3f800000);
  EXPECT_EQ((t.Slice(1, 2).unaligned_flat<float>()(0)), 12.0f);
  const Tensor& c = t;
  EXPECT_EQ((c.shaped<float, 1>({24})(23)), 23.0f);
  EXPECT_EQ(Tensor(2.0f).scalar<float>()(), 2.0f);
  t.flat<float>() = t.flat<float>() * 2.0f;
  EXPECT_EQ(Flat<float>(t)[23], 46.0f);
}

// The message that CatchExceptions makes when a kernel asks for a view in vain.
template <typename View>
std::string ComplaintOf(View view) {
  const Status status = CatchExceptions(view, [] { return "It"; });
  EXPECT_TRUE(errors::IsInternal(status)) << status;
  return std::string(status.message());
}

TEST(TensorTest, WrongViewsAreErrorsThatSayWhatIsThere) {
  Tensor t(DT_FLOAT, TensorShape({2, 3}));
  const Tensor& c = t;
  EXPECT_EQ(ComplaintOf([&] { c.vec<float>(); }),
            "It is wrong: shape [2,3] is seen as one of 1 dimensions");
  EXPECT_EQ(ComplaintOf([&] { t.flat<int32_t>(); }),
            "It is wrong: a tensor of type float and shape [2,3] is read as "
            "int32");
  EXPECT_EQ(ComplaintOf([&] { c.dim_size(9); }),
            "It is wrong: shape [2,3] has no dimension 9");
  EXPECT_EQ(ComplaintOf([&] { c.scalar<float>(); }),
            "It is wrong: a tensor of shape [2,3] is read as a scalar");
  EXPECT_EQ(ComplaintOf([&] {
              (t.shaped<float, 2>({2, 4}));
            }),
            "It is wrong: 6 elements are seen as shape [2,4] of 2 dimensions");
  EXPECT_EQ(ComplaintOf([&] { c.Slice(1, 3); }),
            "It is wrong: elements [1, 3) are taken of shape [2,3]");
  EXPECT_EQ(ComplaintOf([&] { (c.bit_casted_tensor<double, 2>()); }),
            "It is wrong: 4 bytes of a tensor of type float and shape [2,3] "
            "are seen as one element of 8");
  EXPECT_EQ(ComplaintOf([&] { t.Slice(1, 2).flat<float>(); }),
            "It is wrong: an Eigen view needs aligned memory; use "
            "unaligned_flat() or unaligned_shaped()");
}

TEST(TensorTest, ObjectsAreConstructedAndDestroyed) {
  Tensor s(DT_STRING, TensorShape({1000}));
  for (std::string& x : Flat<std::string>(s)) {
    EXPECT_TRUE(x.empty());
    x.assign(100, 'x');
  }
  Tensor r(DT_RESOURCE, TensorShape({2}));
  Flat<ResourceHandle>(r)[1].set_name("v");
  EXPECT_EQ(Flat<ResourceHandle>(r.DeepCopy())[1].name(), "v");
  EXPECT_EQ(s.TotalBytes(), 1000 * (sizeof(std::string) + 100));
}

// Memory that somebody else owns.
class BorrowedBuffer final : public TensorBuffer {
 public:
  BorrowedBuffer(void* data, size_t size, bool* gone)
      : TensorBuffer(data), size_(size), gone_(gone) {}
  size_t size() const override { return size_; }
  TensorBuffer* root_buffer() override { return this; }
  bool OwnsMemory() const override { return false; }

 private:
  ~BorrowedBuffer() override { *gone_ = true; }
  size_t size_;
  bool* gone_;
};

TEST(TensorTest, BorrowedMemoryIsNeverOurs) {
  alignas(64) float data[4] = {1, 2, 3, 4};
  bool gone = false;
  {
    auto t = Tensor::FromBuffer(DT_FLOAT, TensorShape({4}),
                                new BorrowedBuffer(data, sizeof data, &gone));
    ASSERT_TRUE(t.ok());
    EXPECT_FALSE(t->OwnsMemory());
    EXPECT_FALSE(t->RefCountIsOne());
    EXPECT_FALSE(t->Slice(1, 2).OwnsMemory());
    EXPECT_EQ(t->data(), data);
  }
  EXPECT_TRUE(gone);
  gone = false;
  EXPECT_FALSE(Tensor::FromBuffer(DT_FLOAT, TensorShape({5}),
                                  new BorrowedBuffer(data, sizeof data, &gone))
                   .ok());
  EXPECT_TRUE(gone);
}

TEST(TensorTest, BitcastChecksBytes) {
  Tensor t = Iota({2, 2}), out;
  TF_CHECK_OK(out.BitcastFrom(t, DT_INT64, TensorShape({2})));
  EXPECT_TRUE(out.SharesBufferWith(t));
  EXPECT_TRUE(errors::IsInvalidArgument(
      out.BitcastFrom(t, DT_INT64, TensorShape({3}))));
  EXPECT_TRUE(
      errors::IsInvalidArgument(out.BitcastFrom(t, DT_STRING, TensorShape())));
}

TEST(TensorTest, Text) {
  EXPECT_EQ(Iota({5}).SummarizeValue(3), "0 1 2...");
  EXPECT_EQ(Iota({2, 2}).SummarizeValue(10), "[0 1][2 3]");
  EXPECT_EQ(Tensor("a\n").SummarizeValue(1), "a\\n");
  EXPECT_EQ(Iota({2, 2}).SummarizeValue(-1, true), "[[0 1]\n [2 3]]");
  EXPECT_EQ(Iota({5}).SummarizeValue(1, true), "[0 ... 4]");
  EXPECT_EQ(Iota({2}).DebugString(),
            "Tensor<type: float shape: [2] values: 0 1>");
}

TEST(TensorUtilTest, ConcatAndSplit) {
  Tensor joined;
  TF_CHECK_OK(tensor::Concat({Iota({1, 2}), Iota({2, 2})}, &joined));
  EXPECT_EQ(joined.SummarizeValue(10), "[0 1][0 1][2 3]");
  std::vector<Tensor> parts;
  TF_CHECK_OK(tensor::Split(joined, {0, 3}, &parts));
  EXPECT_TRUE(tensor::BitwiseEqual(parts[1], joined));
  EXPECT_TRUE(errors::IsInvalidArgument(tensor::Split(joined, {1}, &parts)));
  EXPECT_TRUE(
      errors::IsInvalidArgument(tensor::Split(joined, {-1, 4}, &parts)));
  EXPECT_TRUE(errors::IsInvalidArgument(
      tensor::Concat({Iota({1, 2}), Iota({1, 3})}, &joined)));
  EXPECT_TRUE(errors::IsInvalidArgument(tensor::Concat({}, &joined)));
}

TEST(VariantTest, HoldsAnyCopyableValue) {
  Tensor t(DT_VARIANT, TensorShape({2}));
  EXPECT_TRUE(Flat<Variant>(t)[0].is_empty());
  Flat<Variant>(t)[0] = std::vector<int>{1, 2};
  Tensor copy = t.DeepCopy();
  (*Flat<Variant>(t)[0].get<std::vector<int>>())[0] = 9;
  EXPECT_EQ(Flat<Variant>(copy)[0].get<std::vector<int>>()->at(0), 1);
  EXPECT_EQ(Flat<Variant>(copy)[0].get<int>(), nullptr);
  EXPECT_EQ(Variant(3).TypeName(), "int");
}

// A tensor in a variant, as lists and optionals have them; counts how many are
// alive.
struct Inner {
  explicit Inner(Tensor t) : tensor(std::move(t)) { ++alive; }
  Inner(const Inner& other) : tensor(other.tensor) { ++alive; }
  ~Inner() { --alive; }

  Tensor tensor;
  static int alive;
};
int Inner::alive = 0;

Tensor Around(Tensor inner) {
  Tensor t(DT_VARIANT, TensorShape({2}));
  Flat<Variant>(t)[1] = Inner(std::move(inner));
  return t;
}

TEST(VariantTest, ManyInEachOtherAreDestroyedBeforeTheDestructorReturns) {
  constexpr int kDepth = 1000000;
  {
    Tensor t = Iota({3});
    for (int i = 0; i < kDepth; ++i) t = Around(std::move(t));
    EXPECT_EQ(Inner::alive, kDepth);
  }
  EXPECT_EQ(Inner::alive, 0);
}

TEST(VariantTest, WhatOthersHoldStaysWhenManyGo) {
  Tensor kept = Iota({3});
  Tensor middle;
  {
    Tensor t = kept;
    for (int i = 0; i < 1000; ++i) {
      t = Around(std::move(t));
      if (i == 499) middle = t.Slice(1, 2);  // Holds the buffer under it.
    }
  }
  EXPECT_EQ(Inner::alive, 500);
  middle = Tensor();
  EXPECT_EQ(Inner::alive, 0);
  EXPECT_TRUE(kept.RefCountIsOne());
}

}  // namespace
}  // namespace tensorwright

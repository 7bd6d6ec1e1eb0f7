// SPDX-License-Identifier: Apache-2.0
#include "core/util/tensor_bundle.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "core/framework/numeric_types.h"
#include "core/framework/tensor_util.h"
#include "core/lib/core/errors.h"
#include "core/lib/core/threadpool.h"
#include "core/util/checkpoint_reader.h"
#include "core/util/tensor_slice_table.h"
#include "gtest/gtest.h"

namespace tensorwright {
namespace {

class TensorBundleTest : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(env_->LocalTempFilename(&dir_));
    TF_CHECK_OK(env_->CreateDir(dir_));
    prefix_ = dir_ + "/model";
  }
  void TearDown() override {
    int64_t files, dirs;
    TF_CHECK_OK(env_->DeleteRecursively(dir_, &files, &dirs));
  }

  std::unique_ptr<BundleReader> Open(const std::string& prefix) {
    std::unique_ptr<BundleReader> reader;
    TF_CHECK_OK(BundleReader::Open(env_, prefix, &reader));
    return reader;
  }
  Tensor Lookup(const std::string& prefix, const std::string& name) {
    Tensor tensor;
    TF_CHECK_OK(Open(prefix)->Lookup(name, &tensor));
    return tensor;
  }
  std::vector<std::string> Files() {
    std::vector<std::string> names;
    TF_CHECK_OK(env_->GetChildren(dir_, &names));
    std::sort(names.begin(), names.end());
    return names;
  }

  Env* const env_ = Env::Default();
  std::string dir_, prefix_;
};

// A tensor with the values 0, 1, 2, ...
Tensor Counting(DataType dtype, const TensorShape& shape) {
  Tensor tensor(dtype, shape);
  char* bytes = tensor.base<char>();
  const int64_t n = static_cast<int64_t>(tensor.tensor_data().size());
  for (int64_t i = 0; i < n && dtype != DT_STRING; ++i) {
    bytes[i] = dtype == DT_BOOL ? static_cast<char>(i % 2)
                                : static_cast<char>(i * 37 + 11);
  }
  if (dtype == DT_STRING) {
    int64_t i = 0;
    for (std::string& s : Flat<std::string>(tensor)) {
      s = std::string(static_cast<size_t>(i * i % 700),
                      static_cast<char>(i % 256));
      ++i;
    }
  }
  return tensor;
}

std::vector<DataType> SaveableDtypes() {
  std::vector<DataType> dtypes;
  for (const DataType dtype : AllTypes()) {
    if (CanBeSaved(dtype)) dtypes.push_back(dtype);
  }
  return dtypes;
}

// A slice of a counting tensor [rows, columns].
Tensor Box(const Tensor& whole, int64_t row, int64_t rows, int64_t column,
           int64_t columns) {
  Tensor box(DT_FLOAT, TensorShape({rows, columns}));
  for (int64_t r = 0; r < rows; ++r) {
    for (int64_t c = 0; c < columns; ++c) {
      box.base<float>()[r * columns + c] =
          whole.base<float>()[(row + r) * whole.dim_size(1) + column + c];
    }
  }
  return box;
}

TEST_F(TensorBundleTest, EveryDtypeAndShapeComesBack) {
  const std::vector<TensorShape> shapes = {TensorShape(), TensorShape({0}),
                                           TensorShape({7}),
                                           TensorShape({3, 5, 2})};
  BundleWriter writer(env_, prefix_);
  for (const DataType dtype : SaveableDtypes()) {
    for (size_t i = 0; i < shapes.size(); ++i) {
      TF_CHECK_OK(writer.Add(absl::StrCat(DataTypeString(dtype), "/", i),
                             Counting(dtype, shapes[i])));
    }
  }
  TF_CHECK_OK(writer.Finish());
  EXPECT_EQ(Files(), (std::vector<std::string>{"model.data-00000-of-00001",
                                               "model.index"}));
  const auto reader = Open(prefix_);
  for (const DataType dtype : SaveableDtypes()) {
    for (size_t i = 0; i < shapes.size(); ++i) {
      Tensor tensor;
      TF_CHECK_OK(
          reader->Lookup(absl::StrCat(DataTypeString(dtype), "/", i), &tensor));
      EXPECT_TRUE(tensor::BitwiseEqual(tensor, Counting(dtype, shapes[i])))
          << DataTypeString(dtype) << shapes[i].DebugString();
    }
  }
  EXPECT_FALSE(reader->Contains("none"));
  Tensor tensor;
  EXPECT_TRUE(errors::IsNotFound(reader->Lookup("none", &tensor)));
}

TEST_F(TensorBundleTest, LargeTensorsAreReadByThreads) {
  // More than one share, and not a multiple of one.
  const Tensor large = Counting(DT_FLOAT, TensorShape({5000001}));
  BundleWriter writer(env_, prefix_);
  TF_CHECK_OK(writer.Add("a", Tensor(1.0f)));
  TF_CHECK_OK(writer.Add("large", large));
  TF_CHECK_OK(writer.Finish());
  const auto reader = Open(prefix_);
  thread::ThreadPool pool(env_, "reading", 3);
  TensorRead read;
  TF_CHECK_OK(reader->Plan("large", nullptr, &read));
  EXPECT_EQ(read.bytes(), 20000004);
  Tensor back(DT_FLOAT, read.shape);
  TF_CHECK_OK(reader->Read(read, &back, &pool));
  EXPECT_TRUE(tensor::BitwiseEqual(back, large));
}

TEST_F(TensorBundleTest, SlicesAreJoinedAndCut) {
  const Tensor whole = Counting(DT_FLOAT, TensorShape({6, 4}));
  BundleWriter writer(env_, prefix_);
  const auto add = [&](int64_t row, int64_t rows, int64_t column,
                       int64_t columns) {
    TF_CHECK_OK(writer.AddSlice("w", whole.shape(),
                                TensorSlice({{row, rows}, {column, columns}}),
                                Box(whole, row, rows, column, columns)));
  };
  add(0, 2, 0, 4);
  add(2, 4, 0, 1);
  add(2, 4, 1, 3);
  TF_CHECK_OK(writer.Finish());
  EXPECT_TRUE(tensor::BitwiseEqual(Lookup(prefix_, "w"), whole));
  const auto reader = Open(prefix_);
  // Every box of whole rows or columns.
  for (int64_t row = 0; row < 6; ++row) {
    for (int64_t rows = 0; row + rows <= 6; ++rows) {
      for (int64_t column = 0; column < 4; ++column) {
        for (int64_t columns = 1; column + columns <= 4; ++columns) {
          const TensorSlice slice({{row, rows}, {column, columns}});
          TensorRead read;
          TF_CHECK_OK(reader->Plan("w", &slice, &read));
          Tensor box(DT_FLOAT, read.shape);
          TF_CHECK_OK(reader->Read(read, &box));
          EXPECT_TRUE(tensor::BitwiseEqual(
              box, Box(whole, row, rows, column, columns)));
        }
      }
    }
  }
  // The list of tensors has no slices.
  int64_t seen = 0;
  TF_CHECK_OK(reader->ForEach([&](absl::string_view name, const auto&) {
    EXPECT_EQ(name, "w");
    ++seen;
    return OkStatus();
  }));
  EXPECT_EQ(seen, 1);
}

TEST_F(TensorBundleTest, AMissingSliceIsAnError) {
  const Tensor whole = Counting(DT_FLOAT, TensorShape({6, 4}));
  BundleWriter writer(env_, prefix_);
  TF_CHECK_OK(writer.AddSlice("w", whole.shape(), TensorSlice({{0, 2}, {0, 4}}),
                              Box(whole, 0, 2, 0, 4)));
  TF_CHECK_OK(writer.Finish());
  Tensor tensor;
  const Status s = Open(prefix_)->Lookup("w", &tensor);
  EXPECT_TRUE(errors::IsInvalidArgument(s));
  EXPECT_NE(s.error_message().find("8 of the 24"), std::string::npos) << s;
}

TEST_F(TensorBundleTest, WhatIsWrongIsRefused) {
  const Tensor one(1.0f);
  const auto refused = [&](const std::function<Status(BundleWriter*)>& add) {
    BundleWriter writer(env_, prefix_);
    TF_CHECK_OK(writer.Add("a", one));
    EXPECT_TRUE(errors::IsInvalidArgument(add(&writer)));
    EXPECT_FALSE(writer.Finish().ok());
  };
  refused([&](BundleWriter* w) { return w->Add("a", one); });
  refused([&](BundleWriter* w) { return w->Add("", one); });
  refused([&](BundleWriter* w) {
    return w->Add("r", Tensor(DT_RESOURCE, TensorShape({1})));
  });
  refused([&](BundleWriter* w) {
    return w->AddSlice("s", TensorShape({2}), TensorSlice({{0, 1}}), one);
  });
  refused([&](BundleWriter* w) {
    return w->AddSlice("s", TensorShape({2}), TensorSlice({{1, 2}}),
                       Tensor(DT_FLOAT, TensorShape({2})));
  });
  refused([&](BundleWriter* w) {  // "" is the key of the header.
    return w->AddSlice("", TensorShape({2}), TensorSlice({{0, 1}}),
                       Tensor(DT_FLOAT, TensorShape({1})));
  });
  // No file is left behind.
  EXPECT_TRUE(Files().empty());
}

TEST_F(TensorBundleTest, WhatWasThereStaysUntilTheEnd) {
  {
    BundleWriter writer(env_, prefix_);
    TF_CHECK_OK(writer.Add("w", Tensor(1.0f)));
    TF_CHECK_OK(writer.Finish());
  }
  {
    BundleWriter writer(env_, prefix_);
    TF_CHECK_OK(writer.Add("w", Tensor(2.0f)));
    EXPECT_EQ(Lookup(prefix_, "w").scalar_value<float>(), 1.0f);
  }
  EXPECT_EQ(Files().size(), 2u);
  EXPECT_EQ(Lookup(prefix_, "w").scalar_value<float>(), 1.0f);
}

TEST_F(TensorBundleTest, BundlesAreMerged) {
  const Tensor whole = Counting(DT_FLOAT, TensorShape({6, 4}));
  std::vector<std::string> parts;
  for (int i = 0; i < 3; ++i) {
    parts.push_back(absl::StrCat(dir_, "/parts/part-", i));
    BundleWriter writer(env_, parts.back());
    TF_CHECK_OK(writer.Add(absl::StrCat("own", i), Tensor(int32_t{i})));
    TF_CHECK_OK(writer.AddSlice("w", whole.shape(),
                                TensorSlice({{2 * i, 2}, {0, 4}}),
                                Box(whole, 2 * i, 2, 0, 4)));
    TF_CHECK_OK(writer.Finish());
  }
  TF_CHECK_OK(MergeBundles(env_, parts, prefix_));
  TF_CHECK_OK(env_->DeleteDir(dir_ + "/parts"));  // The folder is empty.
  EXPECT_EQ(Files(),
            (std::vector<std::string>{
                "model.data-00000-of-00003", "model.data-00001-of-00003",
                "model.data-00002-of-00003", "model.index"}));
  EXPECT_TRUE(tensor::BitwiseEqual(Lookup(prefix_, "w"), whole));
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(Lookup(prefix_, absl::StrCat("own", i)).scalar_value<int32_t>(),
              i);
  }
  EXPECT_TRUE(errors::IsNotFound(
      MergeBundles(env_, {dir_ + "/none"}, dir_ + "/all", false)));
  EXPECT_TRUE(errors::IsNotFound(
      MergeBundles(env_, {dir_ + "/none"}, dir_ + "/all", true)));
  TF_CHECK_OK(MergeBundles(env_, {dir_ + "/none", prefix_}, dir_ + "/all",
                           /*allow_missing_files=*/true));
  EXPECT_TRUE(tensor::BitwiseEqual(Lookup(dir_ + "/all", "w"), whole));
}

// Changes every byte of every file: the result is DataLoss, or the same values
// as before, never other ones.
TEST_F(TensorBundleTest, EveryByteThatIsBrokenIsNoticed) {
  const Tensor whole = Counting(DT_FLOAT, TensorShape({2, 2}));
  const Tensor text = Counting(DT_STRING, TensorShape({4}));
  BundleWriter writer(env_, prefix_);
  TF_CHECK_OK(writer.Add("number", Tensor(3.0f)));
  TF_CHECK_OK(writer.Add("text", text));
  TF_CHECK_OK(writer.AddSlice("w", whole.shape(), TensorSlice({{0, 1}, {0, 2}}),
                              Box(whole, 0, 1, 0, 2)));
  TF_CHECK_OK(writer.AddSlice("w", whole.shape(), TensorSlice({{1, 1}, {0, 2}}),
                              Box(whole, 1, 1, 0, 2)));
  TF_CHECK_OK(writer.Finish());
  int64_t noticed = 0, harmless = 0;
  for (const std::string& path :
       {MetaFilename(prefix_), DataFilename(prefix_, 0, 1)}) {
    std::string data;
    TF_CHECK_OK(ReadFileToString(env_, path, &data));
    for (size_t i = 0; i < data.size(); ++i) {
      std::string broken = data;
      broken[i] = static_cast<char>(broken[i] ^ (1 << (i % 8)));
      TF_CHECK_OK(WriteStringToFile(env_, path, broken));
      std::unique_ptr<BundleReader> reader;
      Status s = BundleReader::Open(env_, prefix_, &reader);
      Tensor a, b, c;
      if (s.ok()) s.Update(reader->Lookup("number", &a));
      if (s.ok()) s.Update(reader->Lookup("text", &b));
      if (s.ok()) s.Update(reader->Lookup("w", &c));
      if (s.ok()) {
        ++harmless;
        EXPECT_TRUE(tensor::BitwiseEqual(a, Tensor(3.0f)) &&
                    tensor::BitwiseEqual(b, text) &&
                    tensor::BitwiseEqual(c, whole))
            << path << " " << i;
      } else {
        ++noticed;
        EXPECT_TRUE(errors::IsDataLoss(s)) << s;
        EXPECT_NE(s.error_message().find(path), std::string::npos) << s;
      }
    }
    for (size_t n = 0; n < data.size(); ++n) {
      TF_CHECK_OK(WriteStringToFile(env_, path, data.substr(0, n)));
      std::unique_ptr<BundleReader> reader;
      Status s = BundleReader::Open(env_, prefix_, &reader);
      Tensor t;
      if (s.ok()) s.Update(reader->Lookup("number", &t));
      if (s.ok()) s.Update(reader->Lookup("text", &t));
      if (s.ok()) s.Update(reader->Lookup("w", &t));
      EXPECT_TRUE(errors::IsDataLoss(s)) << n << s;
    }
    TF_CHECK_OK(WriteStringToFile(env_, path, data));
  }
  // The footer has bytes that nobody reads.
  EXPECT_LT(harmless, 40);
  EXPECT_GT(noticed, 200);
}

TEST_F(TensorBundleTest, ACheckpointMayLieInMemory) {
  const std::string prefix = "ram://checkpoints/model";
  BundleWriter writer(env_, prefix);
  TF_CHECK_OK(writer.Add("w", Tensor(5.0f)));
  TF_CHECK_OK(writer.Finish());
  EXPECT_EQ(Lookup(prefix, "w").scalar_value<float>(), 5.0f);
}

// ---- V1 ---------------------------------------------------------------------

class TensorSliceTableTest : public TensorBundleTest {};

bool InV1(DataType dtype) {
  return dtype != DT_UINT32 && dtype != DT_UINT64 && dtype != DT_BFLOAT16 &&
         dtype != DT_QINT16 && dtype != DT_QUINT16;
}

Status Restore(const std::string& pattern, const std::string& name,
               const std::string& text, DataType dtype, Tensor* tensor) {
  std::unique_ptr<checkpoint::TensorSliceReader> reader;
  TF_RETURN_IF_ERROR(
      checkpoint::TensorSliceReader::Open(Env::Default(), pattern, &reader));
  return reader->Read(
      name, text, dtype,
      [dtype](const TensorShape& shape, Tensor* out) {
        return Tensor::BuildTensor(dtype, shape, out);
      },
      tensor);
}

TEST_F(TensorSliceTableTest, EveryDtypeComesBack) {
  checkpoint::TensorSliceWriter writer(env_, prefix_);
  const TensorShape shape({3, 2});
  for (const DataType dtype : SaveableDtypes()) {
    const Status s = writer.Add(DataTypeString(dtype), shape, TensorSlice(2),
                                Counting(dtype, shape));
    EXPECT_EQ(s.ok(), InV1(dtype)) << s;
  }
  TF_CHECK_OK(writer.Finish());
  EXPECT_EQ(Files(), std::vector<std::string>{"model"});
  for (const DataType dtype : SaveableDtypes()) {
    if (!InV1(dtype)) continue;
    Tensor back;
    TF_CHECK_OK(Restore(prefix_, DataTypeString(dtype), "", dtype, &back));
    EXPECT_TRUE(tensor::BitwiseEqual(back, Counting(dtype, shape)))
        << DataTypeString(dtype);
  }
  std::unique_ptr<checkpoint::CheckpointReader> reader;
  TF_CHECK_OK(checkpoint::CheckpointReader::Open(env_, prefix_, &reader));
  EXPECT_EQ(reader->variables().size(), SaveableDtypes().size() - 5);
  Tensor back;
  TF_CHECK_OK(reader->GetTensor("float", &back));
  EXPECT_TRUE(errors::IsNotFound(reader->GetTensor("none", &back)));
}

TEST_F(TensorSliceTableTest, SlicesOfSeveralFilesAreJoinedAndCut) {
  const Tensor whole = Counting(DT_FLOAT, TensorShape({6, 4}));
  for (int i = 0; i < 3; ++i) {
    checkpoint::TensorSliceWriter writer(
        env_, absl::StrCat(prefix_, "-0000", i, "-of-00003"));
    TF_CHECK_OK(writer.Add("w", whole.shape(),
                           TensorSlice({{2 * i, 2}, {0, -1}}),
                           Box(whole, 2 * i, 2, 0, 4)));
    TF_CHECK_OK(writer.Finish());
  }
  const std::string pattern = prefix_ + "-\?\?\?\?\?-of-00003";
  Tensor back;
  TF_CHECK_OK(Restore(pattern, "w", "", DT_FLOAT, &back));
  EXPECT_TRUE(tensor::BitwiseEqual(back, whole));
  TF_CHECK_OK(Restore(pattern, "w", "6 4 1,4:2,2", DT_FLOAT, &back));
  EXPECT_TRUE(tensor::BitwiseEqual(back, Box(whole, 1, 4, 2, 2)));
  EXPECT_TRUE(errors::IsInvalidArgument(
      Restore(pattern, "w", "6 5 1,4:2,2", DT_FLOAT, &back)));
  EXPECT_TRUE(
      errors::IsInvalidArgument(Restore(pattern, "w", "", DT_INT32, &back)));
  EXPECT_TRUE(
      errors::IsNotFound(Restore(pattern, "none", "", DT_FLOAT, &back)));
  EXPECT_TRUE(
      errors::IsNotFound(Restore(dir_ + "/x*", "w", "", DT_FLOAT, &back)));
  TF_CHECK_OK(env_->DeleteFile(prefix_ + "-00001-of-00003"));
  EXPECT_TRUE(
      errors::IsInvalidArgument(Restore(pattern, "w", "", DT_FLOAT, &back)));
}

TEST_F(TensorSliceTableTest, EveryByteThatIsBrokenIsNoticed) {
  const Tensor whole = Counting(DT_FLOAT, TensorShape({3}));
  checkpoint::TensorSliceWriter writer(env_, prefix_);
  TF_CHECK_OK(writer.Add("w", whole.shape(), TensorSlice(1), whole));
  TF_CHECK_OK(writer.Finish());
  std::string data;
  TF_CHECK_OK(ReadFileToString(env_, prefix_, &data));
  int64_t noticed = 0;
  for (size_t i = 0; i < data.size(); ++i) {
    std::string broken = data;
    broken[i] = static_cast<char>(broken[i] ^ (1 << (i % 8)));
    TF_CHECK_OK(WriteStringToFile(env_, prefix_, broken));
    Tensor back;
    const Status s = Restore(prefix_, "w", "", DT_FLOAT, &back);
    if (s.ok()) {
      EXPECT_TRUE(tensor::BitwiseEqual(back, whole)) << i;
    } else {
      ++noticed;
      EXPECT_TRUE(errors::IsDataLoss(s)) << s;
      EXPECT_NE(s.error_message().find(prefix_), std::string::npos) << s;
    }
  }
  EXPECT_GT(noticed, static_cast<int64_t>(data.size()) - 40);
}

}  // namespace
}  // namespace tensorwright

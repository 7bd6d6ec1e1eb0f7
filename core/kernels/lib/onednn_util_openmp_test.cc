// SPDX-License-Identifier: Apache-2.0
// Primitives are made for one number of threads and run with another: the
// results are right, the threads come from elsewhere, and the scope goes on.
#include "core/kernels/lib/onednn_util_openmp.h"

#include <algorithm>
#include <memory>
#include <vector>

#include "core/kernels/lib/onednn_util.h"
#include "core/lib/core/thread_team.h"
#include "core/platform/env.h"
#include "gtest/gtest.h"
#include "oneapi/dnnl/dnnl.hpp"

namespace tensorwright {
namespace onednn {
namespace {

constexpr int kSide = 56, kChannels = 32;

// A 3x3 convolution of ones with ones, made for the threads of the scope that
// it is made in.
class Ones {
 public:
  Ones() : result_(kSide * kSide * kChannels) {
    const dnnl::memory::dims image = {1, kChannels, kSide, kSide};
    const dnnl::memory::dims filter = {kChannels, kChannels, 3, 3};
    const auto any = dnnl::memory::format_tag::any;
    const auto f32 = dnnl::memory::data_type::f32;
    const dnnl::convolution_forward::primitive_desc description(
        CpuEngine(), dnnl::prop_kind::forward_inference,
        dnnl::algorithm::convolution_direct, {image, f32, any},
        {filter, f32, any}, {image, f32, dnnl::memory::format_tag::nhwc},
        {1, 1}, {1, 1}, {1, 1});
    convolution_ = dnnl::convolution_forward(description);
    input_ = Filled(description.src_desc());
    filter_ = Filled(description.weights_desc());
    output_ = description.dst_desc();
  }

  // Returns the output in the middle of the picture: the number of products
  // that it sums.
  float Run() {
    result_.assign(result_.size(), -1.0f);
    convolution_.execute(CpuStream(),
                         {{DNNL_ARG_SRC, input_},
                          {DNNL_ARG_WEIGHTS, filter_},
                          {DNNL_ARG_DST, At(output_, result_.data())}});
    const float middle = result_[(kSide * kSide / 2 + kSide / 2) * kChannels];
    for (int y = 1; y + 1 < kSide; ++y) {
      for (int i = kChannels; i < (kSide - 1) * kChannels; ++i) {
        EXPECT_EQ(result_[y * kSide * kChannels + i], middle) << y << " " << i;
      }
    }
    return middle;
  }

 private:
  static dnnl::memory Filled(const dnnl::memory::desc& description) {
    dnnl::memory memory(description, CpuEngine());
    auto* data = static_cast<float*>(memory.get_data_handle());
    std::fill(data, data + description.get_size() / sizeof(float), 1.0f);
    return memory;
  }

  std::vector<float> result_;
  dnnl::convolution_forward convolution_;
  dnnl::memory input_, filter_;
  dnnl::memory::desc output_;
};

constexpr float kProducts = 9 * kChannels;

TEST(OpenMpScope, RunsAPrimitiveMadeForItsThreads) {
  thread::TeamPool pool(Env::Default(), "test", 2);
  OpenMpScope scope(&pool, 2);
  ASSERT_EQ(scope.threads(), 2);
  EXPECT_EQ(Ones().Run(), kProducts);
}

TEST(OpenMpScope, RunsAPrimitiveMadeForMoreThreadsThanItHas) {
  std::unique_ptr<Ones> wide;
  thread::TeamPool pool(Env::Default(), "test", 3);
  {
    OpenMpScope scope(&pool, 3);
    ASSERT_EQ(scope.threads(), 3);
    wide = std::make_unique<Ones>();
  }
  OpenMpScope alone(nullptr, 1);
  EXPECT_EQ(wide->Run(), kProducts);
  EXPECT_EQ(wide->Run(), kProducts);
  // A primitive made for this scope still runs in it, and so does an inner
  // scope.
  EXPECT_EQ(Ones().Run(), kProducts);
  OpenMpScope inner(&pool, 3);
  EXPECT_EQ(inner.threads(), 1);
  EXPECT_EQ(wide->Run(), kProducts);
}

TEST(OpenMpScope, RunsAPrimitiveMadeForFewerThreadsThanItHas) {
  std::unique_ptr<Ones> narrow;
  {
    OpenMpScope alone(nullptr, 1);
    narrow = std::make_unique<Ones>();
  }
  thread::TeamPool pool(Env::Default(), "test", 2);
  OpenMpScope scope(&pool, 2);
  ASSERT_EQ(scope.threads(), 2);
  EXPECT_EQ(narrow->Run(), kProducts);
}

}  // namespace
}  // namespace onednn
}  // namespace tensorwright

// SPDX-License-Identifier: Apache-2.0
// libpng reads the pixels back; python/kernel_tests/logging has a reader of its
// own.
#include "core/lib/png/png_io.h"

#include <png.h>

#include <cstdint>
#include <vector>

#include "core/lib/core/errors.h"
#include "gtest/gtest.h"

namespace tensorwright {
namespace png {
namespace {

std::vector<uint8_t> Read(const std::string& png, int format, int* width,
                          int* height) {
  png_image image = {};
  image.version = PNG_IMAGE_VERSION;
  if (!png_image_begin_read_from_memory(&image, png.data(), png.size())) {
    return {};
  }
  image.format = static_cast<png_uint_32>(format);
  std::vector<uint8_t> pixels(PNG_IMAGE_SIZE(image));
  png_image_finish_read(&image, nullptr, pixels.data(), 0, nullptr);
  *width = static_cast<int>(image.width);
  *height = static_cast<int>(image.height);
  return pixels;
}

TEST(PngIoTest, PixelsReadBack) {
  constexpr int kFormats[] = {PNG_FORMAT_GRAY, PNG_FORMAT_GA, PNG_FORMAT_RGB,
                              PNG_FORMAT_RGBA};
  for (int channels = 1; channels <= 4; ++channels) {
    std::vector<uint8_t> pixels(5 * 7 * channels);
    for (size_t i = 0; i < pixels.size(); ++i) {
      pixels[i] = static_cast<uint8_t>(37 * i);
    }
    for (const bool all_filters : {true, false}) {
      std::string png;
      ASSERT_TRUE(WriteImageToBuffer(pixels.data(), 7, 5, 7 * channels,
                                     channels, 8, {1, all_filters},
                                     {{"Title", "a test"}}, &png)
                      .ok());
      int width = 0, height = 0;
      EXPECT_EQ(Read(png, kFormats[channels - 1], &width, &height), pixels);
      EXPECT_EQ(width, 7);
      EXPECT_EQ(height, 5);
    }
  }
}

TEST(PngIoTest, RowsMayBeApart) {
  const std::vector<uint8_t> pixels = {1, 2, 99, 3, 4, 99};
  std::string png;
  ASSERT_TRUE(
      WriteImageToBuffer(pixels.data(), 2, 2, 3, 1, 8, {}, {}, &png).ok());
  int width = 0, height = 0;
  EXPECT_EQ(Read(png, PNG_FORMAT_GRAY, &width, &height),
            (std::vector<uint8_t>{1, 2, 3, 4}));
}

TEST(PngIoTest, SixteenBitsHaveTheHighByteFirst) {
  const uint16_t pixel = 0x1234;
  std::string png;
  ASSERT_TRUE(
      WriteImageToBuffer(&pixel, 1, 1, 2, 1, 16, {0, false}, {}, &png).ok());
  // The pixels are stored, not compressed.
  EXPECT_NE(png.find("\x12\x34"), std::string::npos);
}

TEST(PngIoTest, WhatTheFormatDoesNotHaveIsRefused) {
  const std::vector<uint8_t> pixels(100);
  std::string png;
  const auto write = [&](int width, int height, int channels, int bits,
                         int effort) {
    return WriteImageToBuffer(pixels.data(), width, height, 8, channels, bits,
                              {effort, true}, {}, &png);
  };
  EXPECT_TRUE(write(1, 1, 1, 8, 9).ok());
  for (const Status& status :
       {write(0, 1, 1, 8, 1), write(1, 0, 1, 8, 1), write(-1, 1, 1, 8, 1),
        write(1, 1, 0, 8, 1), write(1, 1, 5, 8, 1), write(1, 1, 1, 7, 1),
        write(1, 1, 1, 8, 10)}) {
    EXPECT_TRUE(errors::IsInvalidArgument(status)) << status;
    EXPECT_TRUE(png.empty());
  }
  EXPECT_FALSE(WriteImageToBuffer(pixels.data(), 1, 1, 1, 1, 8, {},
                                  {{std::string(100, 'k'), "long keyword"}},
                                  &png)
                   .ok());
}

}  // namespace
}  // namespace png
}  // namespace tensorwright

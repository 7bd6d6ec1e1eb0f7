// SPDX-License-Identifier: Apache-2.0
#include "core/lib/wav/wav_io.h"

#include <cmath>
#include <limits>

#include "core/lib/core/errors.h"
#include "gtest/gtest.h"

namespace tensorwright {
namespace wav {
namespace {

TEST(WavIoTest, TheFileIsAsRiffSays) {
  const float audio[] = {0.0f, 1.0f, -1.0f, 0.5f};
  std::string wav;
  ASSERT_TRUE(EncodeAudioAsS16LEWav(audio, 8000, 2, 2, &wav).ok());
  const std::string expected(
      "RIFF\x2c\0\0\0WAVEfmt \x10\0\0\0\x01\0\x02\0"
      "\x40\x1f\0\0\0\x7d\0\0\x04\0\x10\0"
      "data\x08\0\0\0"
      "\0\0\xff\x7f\0\x80\0\x40",
      52);
  EXPECT_EQ(wav, expected);
}

TEST(WavIoTest, WhatIsOutsideIsCutOff) {
  const float inf = std::numeric_limits<float>::infinity();
  const float audio[] = {3.0f, -inf, std::nanf("")};
  std::string wav;
  ASSERT_TRUE(EncodeAudioAsS16LEWav(audio, 1, 1, 3, &wav).ok());
  EXPECT_EQ(wav.substr(44), std::string("\xff\x7f\0\x80\0\0", 6));
}

TEST(WavIoTest, SizesThatNoFileHasAreRefused) {
  const float audio[] = {0.0f};
  std::string wav;
  for (const Status& status :
       {EncodeAudioAsS16LEWav(audio, 0, 1, 1, &wav),
        EncodeAudioAsS16LEWav(audio, 1, 0, 1, &wav),
        EncodeAudioAsS16LEWav(audio, 1, 1 << 15, 1, &wav),
        EncodeAudioAsS16LEWav(audio, size_t{1} << 32, 1, 1, &wav),
        EncodeAudioAsS16LEWav(audio, 1, 1, size_t{1} << 31, &wav)}) {
    EXPECT_TRUE(errors::IsInvalidArgument(status)) << status;
    EXPECT_TRUE(wav.empty());
  }
}

}  // namespace
}  // namespace wav
}  // namespace tensorwright

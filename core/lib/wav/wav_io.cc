// SPDX-License-Identifier: Apache-2.0
#include "core/lib/wav/wav_io.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#include "core/lib/core/coding.h"
#include "core/lib/core/errors.h"

namespace tensorwright {
namespace wav {
namespace {

constexpr size_t kSampleBytes = 2;
constexpr uint16_t kPcm = 1;
// The length of the RIFF chunk after its size, without the samples.
constexpr uint32_t kHeaderBytes = 36;

int16_t Sample(float x) {
  if (std::isnan(x)) return 0;
  const float scaled = std::round(x * 32768.0f);
  return static_cast<int16_t>(std::clamp(scaled, -32768.0f, 32767.0f));
}

}  // namespace

Status EncodeAudioAsS16LEWav(const float* audio, size_t sample_rate,
                             size_t num_channels, size_t num_frames,
                             std::string* wav) {
  wav->clear();
  constexpr size_t kMax32 = std::numeric_limits<uint32_t>::max();
  if (sample_rate == 0 || num_channels == 0) {
    return errors::InvalidArgument(
        "WAV: sample rate and channels must be > 0, got ", sample_rate, " and ",
        num_channels);
  }
  if (num_channels > std::numeric_limits<uint16_t>::max() / kSampleBytes ||
      sample_rate > kMax32 / (num_channels * kSampleBytes) ||
      num_frames > (kMax32 - kHeaderBytes) / (num_channels * kSampleBytes)) {
    return errors::InvalidArgument("WAV: ", num_frames, " frames of ",
                                   num_channels, " channels at ", sample_rate,
                                   " Hz are too many for a file");
  }
  const size_t frame_bytes = num_channels * kSampleBytes;
  const auto data_bytes = static_cast<uint32_t>(num_frames * frame_bytes);
  wav->reserve(8 + kHeaderBytes + data_bytes);
  wav->append("RIFF");
  core::PutFixed32(wav, kHeaderBytes + data_bytes);
  wav->append("WAVEfmt ");
  core::PutFixed32(wav, 16);  // The bytes of this chunk.
  core::PutFixed16(wav, kPcm);
  core::PutFixed16(wav, static_cast<uint16_t>(num_channels));
  core::PutFixed32(wav, static_cast<uint32_t>(sample_rate));
  core::PutFixed32(wav, static_cast<uint32_t>(sample_rate * frame_bytes));
  core::PutFixed16(wav, static_cast<uint16_t>(frame_bytes));
  core::PutFixed16(wav, 8 * kSampleBytes);
  wav->append("data");
  core::PutFixed32(wav, data_bytes);
  const size_t begin = wav->size();
  wav->resize(begin + data_bytes);
  char* out = wav->data() + begin;
  for (size_t i = 0; i < num_frames * num_channels; ++i) {
    core::EncodeFixed16(out + i * kSampleBytes,
                        static_cast<uint16_t>(Sample(audio[i])));
  }
  return OkStatus();
}

}  // namespace wav
}  // namespace tensorwright

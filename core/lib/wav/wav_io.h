// SPDX-License-Identifier: Apache-2.0
// Sound in RIFF WAVE files, in memory.  Any thread.
#ifndef TENSORWRIGHT_CORE_LIB_WAV_WAV_IO_H_
#define TENSORWRIGHT_CORE_LIB_WAV_WAV_IO_H_

#include <cstddef>
#include <string>

#include "core/lib/core/status.h"

namespace tensorwright {
namespace wav {

// Writes samples in [-1, 1] as 16-bit integers, little-endian; values outside
// are clipped, and NaN is silence.  `audio`: [num_frames, num_channels],
// interleaved. InvalidArgument if the file's 32-bit fields cannot hold the
// sizes, or there are no channels, or the rate is 0; *wav is empty then.
Status EncodeAudioAsS16LEWav(const float* audio, size_t sample_rate,
                             size_t num_channels, size_t num_frames,
                             std::string* wav);

}  // namespace wav
}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_LIB_WAV_WAV_IO_H_

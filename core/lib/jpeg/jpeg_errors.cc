// SPDX-License-Identifier: Apache-2.0
#include "core/lib/jpeg/jpeg_errors.h"

namespace tensorwright {
namespace jpeg {
namespace {

[[noreturn]] void Fail(j_common_ptr codec) {
  auto* errors = reinterpret_cast<Errors*>(codec->err);
  codec->err->format_message(codec, errors->text);
  std::longjmp(errors->jump, 1);
}

// Ignores warnings, which are about data that libjpeg makes the best of.
void Ignore(j_common_ptr) {}

}  // namespace

Errors::Errors() {
  text[0] = '\0';
  jpeg_std_error(&manager);
  manager.error_exit = Fail;
  manager.output_message = Ignore;
}

}  // namespace jpeg
}  // namespace tensorwright

// SPDX-License-Identifier: Apache-2.0
// A library of an earlier interface of this version.
#include "tensorflow/core/public/version.h"

__attribute__((used, retain, section("tensorwright_stamp")))
const char stamp[] =
    "version=" TENSORWRIGHT_VERSION_STRING ";abi=0;cxx11_abi=1;";

// SPDX-License-Identifier: Apache-2.0
// A library of another version: its stamp says so.
// Were its code run, the process would end.
#include <cstdlib>

__attribute__((used, retain, section("tensorwright_stamp")))
const char stamp[] = "version=0.0.7;abi=1;cxx11_abi=1;";

static const int dies = (std::abort(), 0);

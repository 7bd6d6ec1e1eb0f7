// SPDX-License-Identifier: Apache-2.0
// A table that is read before anybody can catch what goes wrong with it.
#include <stdexcept>

static int ReadTable() { throw std::runtime_error("not today"); }
int table = ReadTable();

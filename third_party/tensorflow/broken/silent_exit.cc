// SPDX-License-Identifier: Apache-2.0
// Ends the process so that nobody can tell who did, as runtimes of sanitizers
// do.
#include <unistd.h>

static int Check() {
  const char text[] = "the wrong machine\n";
  (void)!write(2, text, sizeof text - 1);
  _exit(4);
}
int checked = Check();

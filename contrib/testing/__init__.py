# SPDX-License-Identifier: Apache-2.0
"""`tf.contrib.testing`: checks of summaries.

Re-exports, no code.
"""

# ruff: noqa: F401
from tensorwright.contrib.testing.python.framework.fake_summary_writer import (
    FakeSummaryWriter,
)
from tensorwright.contrib.testing.python.framework.summary_checks import (
    assert_summary,
    latest_event_file,
    latest_events,
    latest_summaries,
    simple_values_from_events,
    to_summary_proto,
)

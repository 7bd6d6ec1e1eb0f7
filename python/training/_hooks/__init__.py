# SPDX-License-Identifier: Apache-2.0
"""Parts of basic_session_run_hooks."""

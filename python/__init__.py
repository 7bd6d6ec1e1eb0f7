# SPDX-License-Identifier: Apache-2.0
"""The front end."""

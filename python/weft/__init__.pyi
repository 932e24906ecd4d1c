import os
from typing import Any, Callable, Dict, Iterable, List, Optional, Sequence, Tuple, Union

import numpy
from numpy.typing import ArrayLike, NDArray

__all__ = [
    "Calibration",
    "Model",
    "Precisions",
    "Program",
    "WeftError",
    "WeftWarning",
    "calibrate",
    "choose_precisions",
    "compare",
    "convert",
    "explain",
    "include_folder",
    "info",
    "profile",
]
__version__: str

_Path = Union[str, "os.PathLike[str]"]
_Source = Union[_Path, bytes, bytearray, "Model"]
_Sample = Union[ArrayLike, Dict[str, Any]]
_Samples = Union[_Sample, Iterable[_Sample]]
_Data = Union[_Samples, Callable[[], _Samples]]
_Shapes = Dict[str, Union[str, int, Sequence[int]]]
_Names = Union[str, Sequence[str]]
_Plugins = Union[_Path, Sequence[_Path]]
# done, about how many there are (None: nobody knows)
_Progress = Callable[[int, Optional[int]], object]
_Tensors = Dict[str, Tuple[numpy.dtype[Any], Tuple[int, ...]]]
_Json = Dict[str, Any]

class WeftError(RuntimeError):
    code: int
    def __init__(self, message: str, code: int = ...) -> None: ...

class WeftWarning(UserWarning): ...

class Calibration:
    text: str
    warnings: List[str]
    def __init__(self, text: str, lines: Iterable[str] = ...) -> None: ...
    def save(self, path: _Path) -> None: ...

class Precisions:
    text: str
    calibration: Calibration
    pareto: List[_Json]
    held_back: Optional[_Json]
    miss: str
    @property
    def chosen(self) -> _Json: ...
    def save(self, path: _Path) -> None: ...

class Program(bytes):
    accuracy: Optional[List[_Json]]

class Model:
    inputs: _Tensors
    outputs: _Tensors
    stages: List[_Tensors]
    nets: List[str]
    source: Union[str, bytes]
    def __init__(
        self,
        source: _Source,
        *,
        net: Optional[str] = None,
        device: str = "emulator",
        bmrt_library: Optional[_Path] = None,
    ) -> None: ...
    # One array if the model has one output, else a dict by name.
    def __call__(
        self, /, *arrays: Union[ArrayLike, Dict[str, Any]], **named: ArrayLike
    ) -> Any: ...
    def run(
        self, /, *arrays: Union[ArrayLike, Dict[str, Any]], **named: ArrayLike
    ) -> Dict[str, NDArray[Any]]: ...

def include_folder() -> str: ...
def calibrate(
    model: _Path,
    data: _Data,
    output: Optional[_Path] = None,
    *,
    shapes: Optional[_Shapes] = None,
    batch: Union[int, str, None] = None,
    inputs: Optional[_Names] = None,
    outputs: Optional[_Names] = None,
    bind: Optional[Dict[str, ArrayLike]] = None,
    method: str = "auto",
    percentile: Optional[float] = None,
    recover: str = "weights",
    plugins: _Plugins = (),
    progress: Optional[_Progress] = None,
) -> Calibration: ...
def choose_precisions(
    model: _Path,
    data: _Data,
    *,
    target_cosine: Optional[float] = None,
    target_sqnr: Optional[float] = None,
    score: Optional[Callable[[bytes], float]] = None,
    target_score: Optional[float] = None,
    max_float_macs: Optional[float] = None,
    search_samples: int = 8,
    log: Optional[_Path] = None,
    progress: Optional[_Progress] = None,
    shapes: Optional[_Shapes] = None,
    batch: Union[int, str, None] = None,
    inputs: Optional[_Names] = None,
    outputs: Optional[_Names] = None,
    bind: Optional[Dict[str, ArrayLike]] = None,
    method: str = "auto",
    percentile: Optional[float] = None,
    recover: str = "weights",
    target: str = "bm1684x",
    plugins: _Plugins = (),
) -> Precisions: ...
def convert(
    model: _Path,
    output: Optional[_Path] = None,
    *,
    shapes: Optional[_Shapes] = None,
    batch: Union[int, str, None] = None,
    inputs: Optional[_Names] = None,
    outputs: Optional[_Names] = None,
    bind: Optional[Dict[str, ArrayLike]] = None,
    precision: str = "f32",
    target: str = "bm1684x",
    calibration: Union[_Path, Calibration, _Data, None] = None,
    precisions: Union[_Path, Precisions, Dict[str, str], None] = None,
    samples: Optional[_Data] = None,
    plugins: _Plugins = (),
    host: bool = True,
    keep_int8: bool = False,
    no_float: bool = False,
    group_size: Optional[int] = None,
    asymmetric: str = "auto",
    quantized_io: bool = False,
    strip: bool = False,
    level: Optional[int] = None,
    search_seconds: Optional[float] = None,
    search_cache: Optional[_Path] = None,
    progress: Optional[_Progress] = None,
    # For precision auto, as for choose_precisions.
    target_cosine: Optional[float] = None,
    target_sqnr: Optional[float] = None,
    score: Optional[Callable[[bytes], float]] = None,
    target_score: Optional[float] = None,
    max_float_macs: Optional[float] = None,
    search_samples: int = 8,
    log: Optional[_Path] = None,
    method: str = "auto",
    percentile: Optional[float] = None,
    recover: str = "weights",
) -> Program: ...
def info(program: _Source, *, check: bool = False) -> _Json: ...
def profile(
    program: _Source,
    *,
    net: Optional[str] = None,
    stage: Optional[int] = None,
    html: Optional[_Path] = None,
) -> _Json: ...
def explain(
    program: _Source, *, net: Optional[str] = None, stage: Optional[int] = None
) -> _Json: ...
def compare(
    model: _Source,
    program: _Source,
    data: _Data,
    *,
    reference: Union[_Path, Dict[str, Any], None] = None,
    per_layer: bool = False,
    bisect: bool = False,
    reproducer: Optional[_Path] = None,
    html: Optional[_Path] = None,
    certify: bool = False,
    limits: Optional[Dict[str, float]] = None,
    layer_limits: Optional[Dict[str, float]] = None,
    constant_inputs: bool = False,
    task: Optional[str] = None,
    min_agreement: Optional[float] = None,
    labels: Optional[_Path] = None,
    ctc_blank: Optional[int] = None,
    no_limits: bool = False,
    bind: Optional[Dict[str, ArrayLike]] = None,
    plugins: _Plugins = (),
    inputs: Optional[_Names] = None,
    outputs: Optional[_Names] = None,
    calibration: Union[_Path, Calibration, None] = None,
    net: Optional[str] = None,
    device: str = "emulator",
    bmrt_library: Optional[_Path] = None,
) -> _Json: ...

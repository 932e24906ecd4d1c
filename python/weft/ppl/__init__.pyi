from typing import Any, Callable, Iterable, Mapping, Optional, Sequence, Union, overload

from .. import WeftError

class PplError(WeftError):
    file: Optional[str]
    line: Optional[int]
    errorCode: int

class PplTypeError(PplError, TypeError): ...
class PplAttributeError(PplError, AttributeError): ...
class OutOfMemory(PplError): ...

class Printed:
    file: str
    line: int
    core: int
    values: list[Any]

class Profile(dict[str, Any]): ...

class Stop:
    file: str
    line: int
    source: str
    core: int
    function: Optional[str]
    locals: dict[str, Any]
    operands: dict[Any, Any]
    values: dict[str, Any]
    def step(self) -> None: ...
    def resume(self) -> None: ...

class Config:
    kwargs: dict[str, Any]
    pipeline: Optional[bool]
    def __init__(self, kwargs: Mapping[str, Any], pipeline: Optional[bool] = None) -> None: ...

class Candidate:
    config: Config
    cycles: Optional[int]
    error: Optional[PplError]

class Launch:
    errorCode: int
    error: Optional[PplError]
    config: Optional[Config]
    candidates: Sequence[Candidate]
    @property
    def printed(self) -> list[Printed]: ...
    def bmodel(self) -> bytes: ...
    def save(self, path: Any) -> None: ...
    def profile(self, html: Any = None) -> Profile: ...
    def text(self) -> str: ...

Grid = Union[int, tuple[int], Callable[[dict[str, Any]], Union[int, tuple[int]]]]

class Kernel:
    __name__: str
    def using(self, *, chip: str = ..., mode: str = ..., pipeline: bool = ..., bmrt_library: Any = ...) -> Kernel: ...
    def debug(self, hook: Optional[Callable[[Stop], Any]] = None, step: bool = True) -> Kernel: ...
    def __getitem__(self, grid: Grid) -> Callable[..., Launch]: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...

@overload
def jit(function: Callable[..., Any]) -> Kernel: ...
@overload
def jit(function: None = None, *, debug: int = 0, tiling: Union[None, str, Mapping[str, Sequence[int]], Callable[..., Any]] = None,
        pipeline: bool = True) -> Callable[[Callable[..., Any]], Kernel]: ...
def autotiling(rules: Mapping[str, Callable[[dict[str, Any]], Any]]) -> Callable[[Kernel], Kernel]: ...
def autotune(configs: Iterable[Union[Config, Mapping[str, Any]]],
             key: Union[None, str, Sequence[str]] = None) -> Callable[[Kernel], Kernel]: ...
def chips() -> dict[str, dict[str, Any]]: ...

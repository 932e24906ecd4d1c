"""The rounds of pipelined loops of a kernel, marked in its code."""

import ast
import functools
import inspect
import os
import sys
import textwrap
import types

from . import _recorder


class _MarkIterations(ast.NodeTransformer):
    """Puts the body of each loop that calls enable_pipeline() into
    `with __ppl_round__(line):`, so that a round has a beginning and an end."""

    found = False

    def visit_For(self, loop):
        self.generic_visit(loop)
        for statement in loop.body:
            call = getattr(statement, "value", None)
            if not (isinstance(statement, ast.Expr)
                    and isinstance(call, ast.Call)):
                continue
            name = getattr(call.func, "attr", getattr(call.func, "id", ""))
            if name != "enable_pipeline":
                continue
            self.found = True
            marker = ast.Call(ast.Name("__ppl_round__", ast.Load()),
                              [ast.Constant(statement.lineno)], [])
            loop.body = [ast.With([ast.withitem(marker)], loop.body)]
            ast.copy_location(loop.body[0], statement)
            break
        return loop


class _Round:
    """One round of a pipelined loop."""

    def __init__(self, file, line):
        self.line = _recorder.Line(os.fsencode(file), line)

    def __enter__(self):
        program = _recorder.active()
        program.rounds = getattr(program, "rounds", 0) + 1
        program.table.enter(program.table.self, _recorder.SCOPE_ITERATION,
                            None, self.line)

    def __exit__(self, kind, value, trace):
        program = _recorder.active()
        program.rounds -= 1
        program.table.leave(program.table.self, _recorder.SCOPE_ITERATION)
        if kind is None:
            program.check_recording()


def _strip_signature(definition):
    """Removes what a definition evaluates: its defaults and annotations. The
    function has them already."""
    arguments = definition.args
    arguments.defaults = [ast.Constant(None) for _ in arguments.defaults]
    arguments.kw_defaults = [default and ast.Constant(None)
                             for default in arguments.kw_defaults]
    for argument in (*arguments.posonlyargs, *arguments.args,
                     *arguments.kwonlyargs, arguments.vararg, arguments.kwarg):
        if argument:
            argument.annotation = None
    definition.returns = None


def with_rounds(function):
    """The function with the rounds of its pipelined loops marked."""
    try:
        lines, first = inspect.getsourcelines(function)
    except (OSError, TypeError):
        return function  # no source: enable_pipeline() says so
    try:
        tree = ast.parse(textwrap.dedent("".join(lines)))
    except SyntaxError:
        return function
    ast.increment_lineno(tree, first - 1)
    marker = _MarkIterations()
    definition = marker.visit(tree.body[0])
    if not marker.found:
        return function
    definition.decorator_list = []
    _strip_signature(definition)
    free = (*function.__code__.co_freevars, "__ppl_round__")
    # A function around it, so that these are variables of a closure here, too.
    outer = ast.FunctionDef(
        "__ppl_outer__",
        ast.arguments([], [ast.arg(name) for name in free], None, [], [], None,
                      []),
        [definition,
         ast.Return(ast.Name(definition.name, ast.Load()))], [], None)
    if sys.version_info >= (3, 12):
        outer.type_params = []
    module = ast.fix_missing_locations(ast.Module([outer], []))
    file = inspect.getsourcefile(function) or function.__code__.co_filename
    local = {}
    exec(compile(module, file, "exec"), function.__globals__, local)
    code = local["__ppl_outer__"](*(None for _ in free)).__code__
    # The very cells of the function, which others may assign to.
    cells = dict(zip(function.__code__.co_freevars, function.__closure__ or ()))
    cells["__ppl_round__"] = types.CellType(functools.partial(_Round, file))
    made = types.FunctionType(code, function.__globals__, function.__name__,
                              function.__defaults__,
                              tuple(cells[name] for name in code.co_freevars))
    made.__kwdefaults__ = function.__kwdefaults__
    return functools.wraps(function)(made)

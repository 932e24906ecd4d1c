#!/usr/bin/env python3
"""weft.zhouyi against the numpy model: random calls of every operation, bit for bit, and calls that must be refused.

  random_test.py PYTHON_FOLDER NATIVE_FOLDER [--seed N] [--cases N] [--illegal N] [-k PATTERN] [--verbose]

--cases random calls of each operation and pair of element types (every variant of features at least once), --illegal calls of
each operation and fault. Values and the marks of defined lanes must be the model's; a refused call must say which function
and why. A pointer's memory is compared as a whole.
"""
import argparse
import collections
import os
import sys

import numpy as np

sys.path.insert(0, sys.argv[1])
os.environ["WEFT_NATIVE_DIR"] = sys.argv[2]
del sys.argv[1:3]
import cases  # noqa: E402
import illegal_cases  # noqa: E402
import model  # noqa: E402
import weft.zhouyi as S  # noqa: E402

POINTERS = ("ptr", "acc_ptr")


def spoken(rng, case):
    """The arguments of a case in one of the forms that the language has for them."""
    args = dict(case.args)
    if case.variant.mask == "tail":
        args["mask"] = S.tail_mask(int(args["mask"].sum()), len(args["mask"]))
    if case.op == "clip" and not any(isinstance(args[name], np.ndarray) for name in ("x", "min_val", "max_val")):
        args["x"] = getattr(S, case.variant.types[0])(args["x"])  # The type of scalars alone is said by x.
    if case.variant.scalar == "acc x y" and rng.random() < 0.5:
        args["acc"] = S.float32(args["acc"])  # x and y may be variables beside a variable only.
    for name, value in args.items():
        if name in POINTERS:
            args[name] = value.copy()
        elif name in ("x", "y") and isinstance(value, (int, float)) and variable_is_legal(case, args) and rng.random() < 0.2:
            args[name] = getattr(S, case.variant.types[name == "y"])(value)  # A variable instead of a constant.
        elif isinstance(value, np.ndarray) and name != "mask" and rng.random() < 0.2:
            args[name] = S.vector(value)
    return args


def variable_is_legal(case, args):
    return len(case.variant.types) == 2 and not isinstance(args.get("acc"), (int, float))


def same(values, wanted):
    return values.dtype == wanted.dtype and values.shape == wanted.shape and values.tobytes() == wanted.tobytes()


def difference(rng, case):
    """What the call gave instead of the model's result, or None."""
    wanted = model.OPERATIONS[case.op](**case.args)
    args = spoken(rng, case)
    result = getattr(S, case.op)(**args)
    if case.op in ("vmml", "vmma"):
        name = "ptr" if case.op == "vmml" else "acc_ptr"
        memory = np.concatenate([wanted.values, case.args[name][16:]])
        return None if same(args[name], memory) else f"memory {args[name].tolist()}, model {memory.tolist()}"
    values, defined = np.asarray(result.values), np.asarray(result.defined)
    if values.dtype != wanted.values.dtype or values.shape != wanted.values.shape:
        return f"{values.dtype}{values.shape}, model {wanted.values.dtype}{wanted.values.shape}"
    if not same(defined, wanted.defined):
        return f"defined {defined.tolist()}, model {wanted.defined.tolist()}"
    given, right = (model.bits_of(lanes)[wanted.defined] for lanes in (values, wanted.values))
    return None if same(given, right) else f"{values.tolist()} ({given.tolist()}), model {wanted.values.tolist()} ({right.tolist()})"


def check_legal(op, options):
    rng, total, failures = np.random.default_rng([options.seed, list(model.OPERATIONS).index(op)]), 0, []
    for types in cases.types_of(op):
        for case in cases.cases(op, types, rng, options.cases):
            total += 1
            try:
                problem = difference(rng, case)
            except (S.ZhouyiError, TypeError) as error:
                problem = f"refused: {error}"
            if problem:
                failures.append((types, case, problem))
    return total, failures


def check_illegal(op, options):
    """Calls that are accepted, or refused without saying whose call it was and why."""
    rng, total, failures = np.random.default_rng([options.seed, 1000 + list(model.OPERATIONS).index(op)]), 0, []
    for fault in illegal_cases.faults(op):
        if fault == "one_lane" and op in ("fma", "clip"):
            continue  # Arrays of one lane are scalar variables here, and these two take nothing but scalars, too.
        for repetition in range(options.illegal):
            case = illegal_cases.illegal(op, fault, rng)
            args, total = {name: value.copy() if name in POINTERS else value for name, value in case.args.items()}, total + 1
            try:
                result = getattr(S, op)(**args)
            except S.ZhouyiError as error:
                if not error.reason.strip() or "\n" in error.reason:
                    failures.append((fault, case, f"message {error.reason!r}"))
                continue
            failures.append((fault, case, f"accepted: {result}"))
    return total, failures


def report(op, kind, failures, verbose):
    """One line a type pair or fault, with its first example."""
    groups = collections.defaultdict(list)
    for group, case, problem in failures:
        groups[group].append((case, problem))
    for group, found in groups.items():
        case, problem = found[0]
        print(f"FAIL {op} {kind} {group}: {len(found)} calls, first: {case}\n     {problem}")
        for case, problem in found[1:] if verbose else ():
            print(f"     {case}\n     {problem}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seed", type=int, default=13)
    parser.add_argument("--cases", type=int, default=1000)
    parser.add_argument("--illegal", type=int, default=50)
    parser.add_argument("-k", dest="pattern", default="")
    parser.add_argument("--verbose", action="store_true", help="every failing call")
    options = parser.parse_args()
    legal = refused = bad = 0
    for op in [name for name in model.OPERATIONS if options.pattern in name]:
        count, failures = check_legal(op, options)
        report(op, "legal", failures, options.verbose)
        count_illegal, wrong = check_illegal(op, options)
        report(op, "illegal", wrong, options.verbose)
        legal, refused, bad = legal + count, refused + count_illegal, bad + len(failures) + len(wrong)
    print(f"{legal} legal and {refused} illegal calls, {bad} wrong, seed {options.seed}")
    return 1 if bad or not legal else 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""Converts an instruction-set description in JSON into the X-macro table of runtime/isa.

usage: convert_isa.py CHIP-isa.json > runtime/chips/CHIP/Instructions.def

Run once per chip; the build reads only the .def file. Field names keep the spelling of the
description (so that one can search for them), but for a double underscore, which C++ reserves
and which becomes "_or_". Names that runtime/isa/Names.def lacks are listed on stderr.
"""
import json
import pathlib
import re
import sys

NAMES = pathlib.Path(__file__).resolve().parents[2] / "runtime/isa/Names.def"


def fieldName(name):
    return name.replace("__", "_or_")


def opcodeRows(engine, rows):
    """Yields (type, func, mnemonic, long, short) with one row per function number."""
    for row in rows:
        forms = row["forms"]
        if row["mnemonic"] == "lar":  # one row in the description: "same numbers as AR"
            for func, mnemonic in [(r["func"], r["mnemonic"]) for r in rows if r["type"] == 3]:
                yield row["type"], func, mnemonic.replace("arith", "lar"), "LAR", "LAR"
            continue
        either = forms.get("any", "None")
        yield (row["type"], row["func"], row["mnemonic"], forms.get("long", either),
               forms.get("short", either))


def reportMissing(macro, names):
    known = set(re.findall(r"^%s\((\w+)\)" % macro, NAMES.read_text(), re.M))
    for name in dict.fromkeys(names):
        if name not in known:
            print("%s lacks %s(%s)" % (NAMES.name, macro, name), file=sys.stderr)


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    with open(sys.argv[1]) as f:
        isa = json.load(f)
    out = []
    out.append("// Instructions.def - instruction words, fields and opcodes of %s.\n//" % isa["chip"].upper())
    out.append("// Written by scripts/isa/convert_isa.py; do not edit. Bit 0 is the least significant bit of byte 0.")
    out.append("//   WEFT_ISA_FORM(engine, form, bits)               starts an instruction word")
    out.append("//   WEFT_ISA_FIELD(form, field, offset, width)      a field, in order, without gaps")
    out.append("//   WEFT_ISA_RESERVED(form, field, offset, width)   bits that must be zero")
    out.append("//   WEFT_ISA_END(form)                              ends an instruction word")
    out.append("//   WEFT_ISA_OPCODE(engine, type, func, mnemonic, longForm, shortForm)")
    for macro, params in [("FORM", "engine, form, bits"),
                          ("FIELD", "form, field, offset, width"),
                          ("RESERVED", "form, field, offset, width"), ("END", "form"),
                          ("OPCODE", "engine, type, func, mnemonic, longForm, shortForm")]:
        out.append("#ifndef WEFT_ISA_%s\n#define WEFT_ISA_%s(%s)\n#endif" % (macro, macro, params))
    engines = [("Tiu", "tiu"), ("Gdma", "gdma")]
    names = []
    for _, key in engines:
        for form in isa[key].values():
            names += [fieldName(f["name"]) for f in form["fields"] if not f.get("reserved")]
        reportMissing("WEFT_ISA_FORM_NAME", isa[key])
    reportMissing("WEFT_ISA_NAME", names)
    for engine, key in engines:
        for name, form in isa[key].items():
            out.append("\nWEFT_ISA_FORM(%s, %s, %d)" % (engine, name, form["total_bits"]))
            for f in form["fields"]:
                kind = "RESERVED" if f.get("reserved") else "FIELD"
                out.append("WEFT_ISA_%s(%s, %s, %d, %d)"
                           % (kind, name, fieldName(f["name"]), f["offset"], f["width"]))
            out.append("WEFT_ISA_END(%s)" % name)
    out.append("")
    for engine, key in engines:
        for row in opcodeRows(engine, isa["opcodes"][key]):
            out.append('WEFT_ISA_OPCODE(%s, %d, %d, "%s", %s, %s)' % ((engine,) + row))
    out.append("")
    out += ["#undef WEFT_ISA_%s" % m for m in ("FORM", "FIELD", "RESERVED", "END", "OPCODE")]
    print("\n".join(out))


main()

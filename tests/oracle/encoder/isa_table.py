"""Reads runtime/chips/bm1684x/Instructions.def, so that bytes can be taken apart here without the code under test."""
import re


class IsaTable:
    def __init__(self, path):
        text = open(path, encoding="utf-8").read()
        self.forms, self.opcodes = {}, {}
        for engine, form, bits in re.findall(r"^\s*WEFT_ISA_FORM\((\w+), (\w+), (\d+)\)", text, re.M):
            self.forms[form] = (engine.lower(), int(bits) // 8, [])
        for form, field, offset, width in re.findall(r"^\s*WEFT_ISA_(?:FIELD|RESERVED)\((\w+), (\w+), (\d+), (\d+)\)", text, re.M):
            self.forms[form][2].append((field, int(offset), int(width)))
        for engine, kind, func, mnemonic, long_form, short_form in re.findall(
                r'^\s*WEFT_ISA_OPCODE\((\w+), (\d+), (\d+), "?([\w.]+)"?, (\w+), (\w+)\)', text, re.M):
            self.opcodes[engine.lower(), int(kind), int(func)] = (mnemonic, long_form, short_form)
        if not self.forms or not self.opcodes:
            raise SystemExit(f"no instruction table in {path}")

    def split(self, engine, data):
        """-> [(form, {field: value, reserved bits included})]"""
        found = []
        while data:
            head = int.from_bytes(data[:8], "little")
            if engine == "tiu":
                short, kind, func = head & 1, head >> 41 & 15, head >> 45 & 31
            else:
                short, kind, func = head >> 3 & 1, head >> 32 & 15, head >> 36 & 7
            _, long_form, short_form = self.opcodes[engine, kind, func]
            form = short_form if short and short_form != "None" else long_form
            _, size, places = self.forms[form]
            word = int.from_bytes(data[:size], "little")
            found.append((form, {name: word >> offset & ((1 << width) - 1) for name, offset, width in places}))
            data = data[size:]
        return found

"""What a launch costs, by line of the kernel (PPL 4.10; weft_ppl_profile)."""

import collections
import linecache
import os
import pathlib
import tempfile

from .. import _tools

WIDTH = 48  # columns of the picture of a timeline


class Profile(dict):
    """Numbers by name, of the predicted run:

    `total_cycles` and the others of weft_ppl_profile; `lines`, for each line of
    the kernel by cycles a dict of `file`, `line`, `source`, `start`, `end` and
    what rows of `weft profile --json` have: `commands`, `tiu_cycles`,
    `gdma_cycles`, `critical_cycles` (of commands that the run's length depends
    on: without them it is shorter by these at most, since another path becomes
    critical), `critical_share` of the run, `wait_cycles`, `extrapolated_cycles`,
    `macs`, `dram_read_bytes`, `dram_write_bytes`, `engine` (that they keep busy
    longer, "tiu" or "gdma"), `compute_cycles` and `dram_cycles` (what the MACs
    and bytes take at the chip's peak), `bound_by` (the larger of the two,
    "compute" or "dram", or None), `bound_cycles` (it) and `achieved` (its share
    of the busy cycles), and by older names `dma_cycles` (`gdma_cycles`) and
    `bound` (`engine`, "tiu" or "dma"); `timeline`, all commands. print() shows
    the lines as a table."""

    def __init__(self, numbers, lines, commands):
        super().__init__(numbers)
        self["lines"] = [_line(row) for row in lines]
        self["timeline"] = commands

    def __str__(self):
        total = self["total_cycles"]
        text = [f"{total} cycles, TIU {self._share('tiu_busy_cycles')}, DMA "
                f"{self._share('gdma_busy_cycles')}, {self['local_bytes']} "
                "bytes of each lane",
                f"{'line':>5} {'tiu':>9} {'dma':>9} {'critical':>9} "
                f"{'bound':>9}  {'when':{WIDTH}}  source"]
        pictures = self._pictures()
        for row in self["lines"]:
            picture = "".join(pictures[row["file"], row["line"]])
            text.append(f"{row['line']:5} {row['tiu_cycles']:9} "
                        f"{row['dma_cycles']:9} {row['critical_cycles']:9} "
                        f"{_bound_text(row):>9}  {picture}  {row['source'][:60]}")
        return "\n".join(text)

    def _share(self, name):
        return f"{100 * self[name] / max(1, self['total_cycles']):.0f} %"

    def _pictures(self):
        """When the commands of each line run: # on the critical path, = else."""
        pictures = collections.defaultdict(lambda: [" "] * WIDTH)
        scale = WIDTH / max(1, self["total_cycles"])
        for command in self["timeline"]:
            columns = pictures[command["file"], command["line"]]
            first = int(command["start"] * scale)
            last = max(first + 1, int(command["end"] * scale))
            for column in range(first, min(last, WIDTH)):
                if columns[column] != "#":
                    columns[column] = "#" if command["critical"] else "="
        return pictures


def write_page(program, path):
    """The page of `weft profile --html` of a kernel's program."""
    path = pathlib.Path(os.fsdecode(path)).absolute()
    with tempfile.TemporaryDirectory() as folder:
        # The page is called as the file.
        file = pathlib.Path(folder) / f"{program.name}.bmodel"
        file.write_bytes(program.bmodel(lines=True))
        _tools.profile(file, html=path)


def _bound_text(row):
    if row["bound_by"] is None:
        return "-"
    name = "MAC" if row["bound_by"] == "compute" else "DRAM"
    return f"{name} {100 * row['achieved']:.0f} %"


def _line(row):
    """A row of weft_ppl_program_lines with its source, and by names that it
    has in Python."""
    source = linecache.getline(row["file"], row["line"]) if row["line"] else ""
    engine = row["engine"].replace("gdma", "dma")
    return {**row, "source": source.strip(), "dma_cycles": row["gdma_cycles"],
            "bound": engine}

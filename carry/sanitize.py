import sys, types, os
from unittest.mock import MagicMock
pkg = types.ModuleType("coppice"); pkg.__path__ = [os.path.abspath("python/coppice")]; sys.modules["coppice"] = pkg
for n in ("_core", "_arrays", "_distribution", "_problem", "_sentences", "_temperature"): sys.modules["coppice." + n] = MagicMock()
import torch
from coppice import _device
torch.manual_seed(0)
def go(count, low, high, dtype, single, gold, hard):
    lengths = torch.randint(low, high + 1, (count,)); nodes = int(lengths.max()) + 1
    s = torch.randn(count, nodes, nodes, dtype=torch.float64) * 3
    if hard: s[::2] *= 60; s[1::3, :, nodes // 2] = -1e9
    s = s.to(dtype).cuda(); words = lengths.cuda()
    heads = torch.zeros(count, nodes, dtype=torch.int64).cuda() if gold else None
    z, m = _device.launch(s, words, heads, single)
    torch.cuda.synchronize()
    print(count, low, high, dtype, single, gold, hard, float(z.nan_to_num().sum()), float(m.nan_to_num().sum()), flush=True)
quick = len(sys.argv) > 1
for dtype in (torch.float32, torch.float64):
    for single in (False, True):
        for gold in (False, True):
            go(5, 1, 9, dtype, single, gold, False)
            go(3, 20, 63, dtype, single, gold, True)
        if not quick:
            go(3, 64, 80, dtype, single, True, False)
if not quick: go(2, 130, 140, torch.float32, True, True, False)

"""The engine as a file of JavaScript: pack.py coppice.wasm VERSION > engine.js"""

import base64
import gzip
import sys
from pathlib import Path

packed = gzip.compress(Path(sys.argv[1]).read_bytes(), 9, mtime=0)
print(f"// Made by `make wasm`: the library as WebAssembly (gzip, base64), of version {sys.argv[2]}.")
print('export const ENGINE =\n  "' + base64.b64encode(packed).decode() + '";')

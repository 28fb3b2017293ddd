"""The engine as a file of JavaScript: pack.py coppice.wasm VERSION > engine.js"""

import base64
import subprocess
import sys

# zopfli writes gzip's format, a twentieth smaller than gzip does.
packed = subprocess.run(["zopfli", "--gzip", "-c", sys.argv[1]], check=True, stdout=subprocess.PIPE).stdout
print(f"// Made by `make wasm`: the library as WebAssembly (gzip, base64), of version {sys.argv[2]}.")
print('export const ENGINE =\n  "' + base64.b64encode(packed).decode() + '";')

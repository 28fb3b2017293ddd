// NumPy's files: the arrays of an .npz, by name, as { shape, type, data }.
export async function readNpz(bytes) {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength), arrays = {};
  const fail = (what) => { throw new Error(`this is no .npz file: ${what}`); };
  let end = bytes.length - 22;
  while (end >= 0 && view.getUint32(end, true) !== 0x06054b50) --end;
  if (end < 0) fail("it has no list of its parts");
  let at = view.getUint32(end + 16, true);
  for (let left = view.getUint16(end + 10, true); left > 0; --left) {
    if (at + 46 > bytes.length || view.getUint32(at, true) !== 0x02014b50) fail("the list of its parts is broken");
    const method = view.getUint16(at + 10, true), size = view.getUint32(at + 20, true), nameLength = view.getUint16(at + 28, true);
    const name = new TextDecoder().decode(bytes.subarray(at + 46, at + 46 + nameLength));
    const local = view.getUint32(at + 42, true);
    const start = local + 30 + view.getUint16(local + 26, true) + view.getUint16(local + 28, true);
    const packed = bytes.subarray(start, start + size);
    if (method !== 0 && method !== 8) fail(`${name} is compressed in an unknown way`);
    arrays[name.replace(/\.npy$/, "")] = readNpy(method === 0 ? packed.slice() : await inflateRaw(packed), name);
    at += 46 + nameLength + view.getUint16(at + 30, true) + view.getUint16(at + 32, true);
  }
  return arrays;
}

async function inflateRaw(bytes) {
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

const TYPES = { "<f4": Float32Array, "<f8": Float64Array, "<i2": Int16Array, "<i4": Int32Array, "<i8": BigInt64Array, "|u1": Uint8Array, "|i1": Int8Array };

export function readNpy(bytes, name) {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (bytes.length < 12 || bytes[0] !== 0x93) throw new Error(`${name} is no NumPy array`);
  const wide = bytes[6] >= 2, length = wide ? view.getUint32(8, true) : view.getUint16(8, true), start = (wide ? 12 : 10) + length;
  const header = new TextDecoder("latin1").decode(bytes.subarray(wide ? 12 : 10, start));
  const type = /'descr':\s*'([^']*)'/.exec(header)?.[1], shape = (/'shape':\s*\(([^)]*)\)/.exec(header)?.[1] ?? "").split(",").filter((s) => s.trim()).map(Number);
  if (/'fortran_order':\s*True/.test(header) && shape.length > 1) throw new Error(`${name} is in Fortran order`);
  const body = bytes.slice(start), count = shape.reduce((a, b) => a * b, 1);
  const need = (size) => {
    if (body.length < count * size) throw new Error(`${name} ends before its ${count} numbers`);
  };
  if (type === "<f2") {
    need(2);
    return { shape, type, data: Float32Array.from(new Uint16Array(body.buffer, 0, count), half) };
  }
  if (/^<U\d+$/.test(type)) {
    const width = Number(type.slice(2));
    need(4 * width);
    const codes = new Uint32Array(body.buffer, 0, count * width);
    return { shape, type, data: Array.from({ length: count }, (_, i) => String.fromCodePoint(...codes.subarray(i * width, (i + 1) * width)).replace(/\0+$/, "")) };
  }
  const Type = TYPES[type];
  if (!Type) throw new Error(`${name} has numbers of type ${type}, which this page does not read`);
  need(Type.BYTES_PER_ELEMENT);
  return { shape, type, data: new Type(body.buffer, 0, count) };
}

function half(bits) {
  const sign = bits & 0x8000 ? -1 : 1, exponent = (bits >> 10) & 31, fraction = bits & 1023;
  if (exponent === 31) return fraction ? NaN : sign * Infinity;
  return sign * (exponent ? 2 ** (exponent - 15) * (1 + fraction / 1024) : 2 ** -14 * (fraction / 1024));
}

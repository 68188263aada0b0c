/** Single to half precision, round to nearest even; too large becomes infinity. One number an entry. */
export function toHalf(values: Float32Array): Uint16Array {
  const bits = new Uint32Array(values.buffer, values.byteOffset, values.length);
  return Uint16Array.from(bits, halfBits);
}

function halfBits(x: number): number {
  const sign = (x >>> 16) & 0x8000;
  const exponent = (x >>> 23) & 0xff;
  const fraction = x & 0x7fffff;
  if (exponent === 0xff) return sign | 0x7c00 | (fraction ? 0x200 : 0);
  const e = exponent - 112;
  if (e >= 31) return sign | 0x7c00;
  if (e <= 0) {
    if (e < -10) return sign;
    // Subnormal: the implicit one becomes explicit and is shifted into place.
    return sign | roundShift(fraction | 0x800000, 14 - e);
  }
  // A carry out of the fraction moves into the exponent, which is what rounding up means.
  return sign | ((e << 10) + roundShift(fraction, 13));
}

/** value / 2^shift, to nearest, ties to even. */
function roundShift(value: number, shift: number): number {
  const floor = value >>> shift;
  const rest = value & ((1 << shift) - 1);
  const half = 1 << (shift - 1);
  return rest > half || (rest === half && (floor & 1) === 1) ? floor + 1 : floor;
}

/** Half to single precision, exact. */
export function fromHalf(halves: Uint16Array): Float32Array {
  return Float32Array.from(halves, (h) => {
    const sign = h & 0x8000 ? -1 : 1;
    const exponent = (h >>> 10) & 0x1f;
    const fraction = h & 0x3ff;
    if (exponent === 0) return sign * fraction * 2 ** -24;
    if (exponent === 31) return fraction ? NaN : sign * Infinity;
    return sign * (1 + fraction / 1024) * 2 ** (exponent - 15);
  });
}

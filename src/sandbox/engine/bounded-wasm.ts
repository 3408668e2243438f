const PAGE_BYTES = 65_536
const MAGIC_BYTES = 8
const MEMORY_SECTION = 5

/**
 * Writes a memory limit into the engine's WebAssembly module. Without it, memory could grow without
 * end: the memory section is `min` and becomes `min, max`. QuickJS limits its own allocations too,
 * but fragmentation goes past that limit.
 */
export function withMaximum(bytes: Uint8Array, maxBytes: number): Uint8Array<ArrayBuffer> {
  const maxPages = Math.floor(maxBytes / PAGE_BYTES)
  for (let at = MAGIC_BYTES; at < bytes.length;) {
    const size = readNumber(bytes, at + 1)
    const end = size.next + size.value
    if (bytes[at] === MEMORY_SECTION) {
      const count = readNumber(bytes, size.next)
      const flags = readNumber(bytes, count.next)
      if (count.value !== 1 || flags.value !== 0)
        throw new Error('quickjs.wasm has a memory section that this version does not know')
      const min = readNumber(bytes, flags.next)
      const body = [...toNumber(1), 1, ...toNumber(min.value), ...toNumber(maxPages)]
      const section = [MEMORY_SECTION, ...toNumber(body.length), ...body]
      return Uint8Array.from(
        Buffer.concat([bytes.subarray(0, at), Buffer.from(section), bytes.subarray(end)]),
      )
    }
    at = end
  }
  throw new Error('quickjs.wasm has no memory section')
}

// Numbers in WebAssembly are LEB128: seven bits a byte, lowest first; the eighth marks
// continuation.

function readNumber(bytes: Uint8Array, start: number): { value: number; next: number } {
  let value = 0
  let shift = 0
  for (let at = start; ; at++) {
    const byte = bytes[at] ?? 0
    value |= (byte & 0x7f) << shift
    if (byte < 0x80) return { value: value >>> 0, next: at + 1 }
    shift += 7
  }
}

function toNumber(number: number): number[] {
  const low = number & 0x7f
  const rest = number >>> 7
  return rest === 0 ? [low] : [low | 0x80, ...toNumber(rest)]
}

import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import type { QuickJSOptions } from 'quickjs-wasi'
import { packageFile } from '../base/files/package-files.ts'

/** The engine, compiled. */
export type EngineModule = QuickJSOptions['wasm']

/** The little of WebAssembly that is used here; neither Node's types nor the language's declare it. */
declare const WebAssembly: { compile(bytes: Uint8Array): Promise<EngineModule> }

export interface BoundedWasm {
  readonly module: EngineModule
  /**
   * Names the engine and the prelude: an image of the memory fits no other engine, and nothing would
   * notice; and the host talks to the prelude that is in the image.
   */
  readonly id: string
}

/** What every script starts with. */
export const PRELUDE_FILE = packageFile('data/sandbox/prelude.js')
const PAGE_BYTES = 65_536
const MAGIC_BYTES = 8
const MEMORY_SECTION = 5

/** The engine, with the most memory that an instance may ever have written into it. */
export async function loadBoundedWasm(maxBytes: number): Promise<BoundedWasm> {
  const path = createRequire(import.meta.url).resolve('quickjs-wasi/quickjs.wasm')
  const [bytes, prelude] = await Promise.all([readFile(path), readFile(PRELUDE_FILE)])
  return {
    // Compiled off this thread.
    module: await WebAssembly.compile(withMaximum(bytes, Math.floor(maxBytes / PAGE_BYTES))),
    id: createHash('sha256').update(bytes).update(prelude).digest('hex').slice(0, 16),
  }
}

/**
 * The module as it comes lets its memory grow without end: its memory section is `min`, and becomes
 * `min, max`. QuickJS counts its own allocations too, but fragmentation goes past that limit.
 */
export function withMaximum(bytes: Uint8Array, maxPages: number): Uint8Array<ArrayBuffer> {
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

// Numbers in WebAssembly are LEB128: seven bits a byte, lowest first, the eighth says that more follow.

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

import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { packageFile } from '../../base/files/package-files.ts'
import { withMaximum } from './bounded-wasm.ts'
import type { Engine, EngineModule } from '../messages.ts'
import { readWarmImage } from './warm-image-file.ts'

/** The part of WebAssembly used here; neither Node's types nor TypeScript's library declare it. */
declare const WebAssembly: { compile(bytes: Uint8Array): Promise<EngineModule> }

/** Loads what a thread needs to run scripts; reads, compiles and unpacks it off this thread. */
export async function loadEngine(maxBytes: number): Promise<Engine> {
  const path = createRequire(import.meta.url).resolve('quickjs-wasi/quickjs.wasm')
  const [bytes, prelude] = await Promise.all([
    readFile(path),
    readFile(packageFile('assets/sandbox/prelude.js'), 'utf8'),
  ])
  const id = createHash('sha256').update(bytes).update(prelude).digest('hex').slice(0, 16)
  const [module, warm] = await Promise.all([
    WebAssembly.compile(withMaximum(bytes, maxBytes)),
    readWarmImage(id),
  ])
  return { module, id, prelude, warm }
}

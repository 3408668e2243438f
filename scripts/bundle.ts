import { readFileSync, readdirSync, writeFileSync } from 'node:fs'
import { isBuiltin } from 'node:module'
import { join } from 'node:path'
import { type InputOptions, type OutputChunk, rolldown } from 'rolldown'
import { loadEngine } from '../src/sandbox/engine/load-engine.ts'
import { WARM_IMAGE_FILE, toFile } from '../src/sandbox/engine/warm-image-file.ts'
import { makeWarmImage } from '../src/sandbox/engine/warm-image.ts'

const ROOT = join(import.meta.dirname, '..')

/** The engine after its prelude has a twentieth of it. */
const LARGEST_IMAGE = 32 * 1024 * 1024

/** Is one file, with all it needs, in CommonJS: an agent waits for its first start, to which each further file, and Node's loader of other modules, adds milliseconds. */
const SANDBOX = 'sandbox/sandbox-worker'

/** What is started by itself: the commands, the library, and threads. */
const ENTRIES = [
  'cli/main',
  'cli/nsip-search',
  'index',
  ...readdirSync(join(ROOT, 'src'), { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('-worker.ts'))
    .map((path) => path.slice(0, -'.ts'.length))
    .filter((name) => name !== SANDBOX),
]

/** What every start needs, or has hundreds of files, is taken in; other packages are loaded from where they are installed. */
const CONTAINED = {
  commander: 'LICENSE',
  kysely: 'LICENSE',
  'lru-cache': 'LICENSE.md',
  'quickjs-wasi': 'LICENSE',
  zod: 'LICENSE',
}

/** What a start of the gateway loads: the command, then these by name. */
const START = ['cli/main', 'cli/shared/open-app', 'app/serve']

/** Up to this size a file costs Node more to find and to link than to read. */
const SMALL_BYTES = 10_000

/** What most commands share is a single file: a start reads fewer. It imports nothing else of ours, so it brings little that a command does not need. */
const GROUPS = [
  { name: 'zod', test: /node_modules\/zod\// },
  // The guarded client brings undici.
  { name: 'base', test: /\/src\/(?:base|protocol)\/(?!net\/guarded-)/ },
]

const manifest: Record<string, object | undefined> = JSON.parse(
  readFileSync(join(ROOT, 'package.json'), 'utf8'),
)
const installed = new Set(
  ['dependencies', 'optionalDependencies', 'peerDependencies'].flatMap((kind) =>
    Object.keys(manifest[kind] ?? {}),
  ),
)

/** `dist`, out of the sources: thirty files at a start instead of four hundred (docs/decisions/bundled-build.md). */
const bundle = await rolldown({
  ...optionsFor(ENTRIES),
  // Some modules are both part of a start and loaded by name: that is meant.
  checks: { ineffectiveDynamicImport: false },
  plugins: [
    {
      name: 'licences',
      generateBundle() {
        const texts = Object.entries(CONTAINED).map(([name, file]) => {
          const text = readFileSync(join(ROOT, 'node_modules', name, file), 'utf8')
          return `${name}\n\n${text}`
        })
        const source = texts.join('\n----------\n\n')
        this.emitFile({ type: 'asset', fileName: 'licences.txt', source })
      },
    },
  ],
})
const chunkFileNames = 'chunks/[name].js'
const split = await bundle.generate({ chunkFileNames, codeSplitting: { groups: GROUPS } })
const small = smallModules(split.output.filter((file) => file.type === 'chunk'))
// Comments are in the sources; here every start would read them.
const output = { dir: join(ROOT, 'dist'), sourcemap: true, comments: { jsdoc: false } }
await bundle.write({
  ...output,
  cleanDir: true,
  chunkFileNames,
  codeSplitting: { groups: [...GROUPS, { name: 'small', test: (id: string) => small.has(id) }] },
})
for (const file of scriptsIn(output.dir)) writeFileSync(file, inOneByte(readFileSync(file, 'utf8')))
const sandbox = await rolldown(optionsFor([SANDBOX]))
await sandbox.write({ ...output, format: 'cjs', entryFileNames: '[name].cjs' })
const engine = await loadEngine(LARGEST_IMAGE)
writeFileSync(WARM_IMAGE_FILE, toFile(await makeWarmImage(engine), engine.id))

function optionsFor(entries: readonly string[]): InputOptions {
  return {
    input: Object.fromEntries(entries.map((name) => [name, sourceOf(name)])),
    platform: 'node',
    transform: { target: 'node20' },
    external: isExternal,
  }
}

/** Only what is installed with us may be left outside: a helper of the bundler is not. */
function isExternal(id: string): boolean {
  const name = /^(?:@[\w.-]+\/)?\w[\w.-]*/.exec(id)?.[0]
  if (name === undefined || Object.hasOwn(CONTAINED, name)) return false
  if (!isBuiltin(id) && !installed.has(name)) throw new Error(`${id} is no dependency of ours`)
  return true
}

/**
 * The modules of a start that would be in many small files, because each is shared by other commands.
 * What needs a large file is left out: every command that needs one of them loads them all.
 */
function smallModules(chunks: readonly OutputChunk[]): ReadonlySet<string> {
  const byName = new Map(chunks.map((chunk) => [chunk.fileName, chunk]))
  const loaded = new Set(
    chunks.filter(({ moduleIds }) => START.some((name) => moduleIds.includes(sourceOf(name)))),
  )
  // A set visits what is added while it is walked through.
  for (const { imports } of loaded)
    for (const name of imports) {
      const chunk = byName.get(name)
      if (chunk) loaded.add(chunk)
    }
  const light = new Set(['chunks/base.js', 'chunks/rolldown-runtime.js'])
  const isLight = ({ isEntry, isDynamicEntry, code, imports }: OutputChunk) =>
    !isEntry &&
    !isDynamicEntry &&
    code.length < SMALL_BYTES &&
    imports.every((name) => light.has(name) || isBuiltin(name))
  const found = new Set<string>()
  for (let before = -1; before !== light.size;) {
    before = light.size
    for (const chunk of loaded)
      if (!light.has(chunk.fileName) && isLight(chunk)) {
        light.add(chunk.fileName)
        for (const id of chunk.moduleIds) found.add(id)
      }
  }
  return found
}

function scriptsIn(folder: string): string[] {
  const paths = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  return paths.filter((path) => path.endsWith('.js')).map((path) => join(folder, path))
}

/** V8 keeps the text of a file, with two bytes for each character where a single one needs them. */
function inOneByte(code: string): string {
  return code.replaceAll(
    /[\u0100-\uFFFF]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}

function sourceOf(name: string): string {
  return join(ROOT, 'src', `${name}.ts`)
}

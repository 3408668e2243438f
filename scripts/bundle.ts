import { cpSync, readFileSync, readdirSync, writeFileSync } from 'node:fs'
import { isBuiltin } from 'node:module'
import { join } from 'node:path'
import { type InputOptions, type OutputChunk, rolldown } from 'rolldown'
import { loadEngine } from '../src/sandbox/engine/load-engine.ts'
import { WARM_IMAGE_FILE, toFile } from '../src/sandbox/engine/warm-image-file.ts'
import { makeWarmImage } from '../src/sandbox/engine/warm-image.ts'
import { CONTAINED } from './contained.ts'

const ROOT = join(import.meta.dirname, '..')

/** About twenty times what the engine needs after its prelude. */
const MAX_IMAGE = 32 * 1024 * 1024

/**
 * Threads that are one CommonJS file each. Every further file, and Node's loader of ES modules, adds
 * milliseconds to the first start of a sandbox, for which an agent waits, and megabytes to the
 * watchdog, which every gateway has.
 */
const ALONE = ['sandbox/sandbox-worker', 'app/health/watchdog-worker']

/**
 * What a client starts is one file, too: most of the time it only relays to a gateway that runs, for
 * which it needs little. The commands are loaded by it when they are needed.
 */
const BRIDGE = 'cli/main'

/** The entry points: the commands, the library, and worker threads. */
const ENTRIES = [
  'cli/start',
  'index',
  ...readdirSync(join(ROOT, 'src'), { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('-worker.ts'))
    .map((path) => path.slice(0, -'.ts'.length))
    .filter((name) => !ALONE.includes(name)),
]

const WHOLE = '?whole'

/** The modules that a gateway start loads: the command, then the others by dynamic import. */
const START = ['cli/start', 'cli/shared/open-app', 'app/serve']

/** Below this size, a file costs Node more to find and link than to read. */
const SMALL_BYTES = 10_000

/**
 * Modules that most commands share go into single files, so that a start reads fewer files. They
 * import no other code of ours, so they load little that a command does not need.
 */
const GROUPS = [
  { name: 'zod', test: /node_modules\/zod\/.*(?<!\?whole)$/ },
  // The guarded client imports undici.
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

/** Builds `dist`: a start reads 30 files instead of 400 (docs/decisions/bundled-build.md). */
const bundle = await rolldown({
  ...optionsFor(ENTRIES),
  // Some modules are intentionally both part of a start and imported dynamically.
  checks: { ineffectiveDynamicImport: false },
  plugins: [
    {
      // It needs all of zod, so it has a copy of its own, which a start does not read.
      name: 'whole-zod',
      async resolveId(id, importer = '') {
        if (!/node_modules\/@(?:hono|asteasolutions)\/zod-|\?whole$/.test(importer)) return
        const found = await this.resolve(id, importer.replace(WHOLE, ''))
        return found && /node_modules\/zod\//.test(found.id) ? found.id + WHOLE : found
      },
      load: (id) => (id.endsWith(WHOLE) ? readFileSync(id.slice(0, -WHOLE.length), 'utf8') : null),
    },
    {
      name: 'licences',
      generateBundle() {
        const texts = [...CONTAINED].map((name) => `${name}\n\n${licenceOf(name)}`)
        const source = texts.join('\n----------\n\n')
        this.emitFile({ type: 'asset', fileName: 'licences.txt', source })
      },
    },
  ],
})
const chunkFileNames = 'chunks/[name].js'
const split = await bundle.generate({ chunkFileNames, codeSplitting: { groups: GROUPS } })
const small = smallModules(split.output.filter((file) => file.type === 'chunk'))
// Every start would read the comments, which the sources have.
const output = { dir: join(ROOT, 'dist'), sourcemap: true, comments: { jsdoc: false } }
await bundle.write({
  ...output,
  cleanDir: true,
  chunkFileNames,
  codeSplitting: { groups: [...GROUPS, { name: 'small', test: (id: string) => small.has(id) }] },
})
for (const name of readdirSync(join(ROOT, 'packs'))) await buildPack(name)
for (const file of scriptsIn(output.dir)) writeFileSync(file, inOneByte(readFileSync(file, 'utf8')))
for (const name of ALONE) {
  const thread = await rolldown(optionsFor([name]))
  await thread.write({ ...output, format: 'cjs', entryFileNames: '[name].cjs' })
}
const bridge = await rolldown({
  ...optionsFor([BRIDGE]),
  plugins: [
    {
      name: 'commands-elsewhere',
      resolveId: (id) => (id === './start.ts' ? { id: './start.js', external: 'relative' } : null),
    },
  ],
})
await bridge.write(output)
const engine = await loadEngine(MAX_IMAGE)
writeFileSync(WARM_IMAGE_FILE, toFile(await makeWarmImage(engine), engine.id))

/** Copies a pack that ships, with its code as JavaScript. */
async function buildPack(name: string): Promise<void> {
  const [from, to] = [join(ROOT, 'packs', name), join(output.dir, 'packs', name)]
  cpSync(from, to, {
    recursive: true,
    filter: (path) => !/\.ts$|\/(?:fixtures|__snapshots__)$/.test(path),
  })
  const rules = readFileSync(join(to, 'pack.yaml'), 'utf8')
  const extension = /^extension: \.\/(\w+)\.ts$/m.exec(rules)?.[1]
  if (extension === undefined) return
  writeFileSync(join(to, 'pack.yaml'), rules.replace(`${extension}.ts`, `${extension}.js`))
  const code = await rolldown({
    ...optionsFor([]),
    input: join(from, `${extension}.ts`),
  })
  await code.write({ ...output, dir: to, chunkFileNames: '[name].js' })
}

function optionsFor(entries: readonly string[]): InputOptions {
  return {
    input: Object.fromEntries(entries.map((name) => [name, sourceOf(name)])),
    platform: 'node',
    transform: { target: 'node20' },
    external: isExternal,
  }
}

/** Only installed dependencies may stay external; helpers of the bundler may not. */
function isExternal(id: string): boolean {
  const name = /^(?:@[\w.-]+\/)?\w[\w.-]*/.exec(id)?.[0]
  if (name === undefined || CONTAINED.has(name)) return false
  if (!isBuiltin(id) && !installed.has(name)) throw new Error(`${id} is no dependency of ours`)
  return true
}

/**
 * Returns the modules of a start that would be in many small files, because other commands share
 * them. Those that import a large file are left out: a command that needs one of them loads them
 * all.
 */
function smallModules(chunks: readonly OutputChunk[]): ReadonlySet<string> {
  const byName = new Map(chunks.map((chunk) => [chunk.fileName, chunk]))
  const loaded = new Set(
    chunks.filter(({ moduleIds }) => START.some((name) => moduleIds.includes(sourceOf(name)))),
  )
  // Iterating over a set also visits elements that are added meanwhile.
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

/** Returns the text of a package's licence; some packages only name theirs. */
function licenceOf(name: string): string {
  const folder = join(ROOT, 'node_modules', name)
  const file = readdirSync(folder).find((each) => /^licen[cs]e/i.test(each))
  if (file !== undefined) return readFileSync(join(folder, file), 'utf8')
  const { license, author } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  if (typeof license !== 'string') throw new Error(`${name} names no licence`)
  return `${license}, ${author?.name ?? author ?? 'its contributors'}`
}

function scriptsIn(folder: string): string[] {
  const paths = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  return paths.filter((path) => path.endsWith('.js')).map((path) => join(folder, path))
}

/** Escapes wide characters: V8 keeps source text with two bytes per character if one needs them. */
function inOneByte(code: string): string {
  return code.replaceAll(
    /[\u0100-\uFFFF]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}

function sourceOf(name: string): string {
  return join(ROOT, 'src', `${name}.ts`)
}

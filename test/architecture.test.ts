import { readFileSync, readdirSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { expect, it } from 'vitest'

const SRC = resolve(import.meta.dirname, '../src')

/** Which folders of src/ each folder may import besides `base`, which lies below them all. */
const MAY_IMPORT: Record<string, readonly string[]> = {
  base: [],
  protocol: [],
  gateway: ['protocol'],
  surfaces: ['gateway', 'protocol', 'search', 'shaping', 'sandbox'],
  sandbox: [],
  shaping: ['gateway', 'protocol'],
  upstreams: ['gateway', 'protocol'],
  telemetry: ['gateway', 'protocol'],
  // What people sign in with is kept in the database.
  identity: ['gateway', 'protocol', 'storage'],
  config: ['gateway', 'protocol'],
  fronts: ['gateway', 'protocol'],
  http: ['fronts', 'gateway', 'protocol'],
  search: ['protocol'],
  storage: [],
  jobs: ['storage'],
  builtins: ['protocol', 'search', 'storage', 'jobs'],
  // The ports of others, kept where replicas share them.
  replicas: [
    'gateway',
    'protocol',
    'fronts',
    'storage',
    'config',
    'identity',
    'shaping',
    'telemetry',
    'upstreams',
  ],
  dashboard: [
    'protocol',
    'gateway',
    'surfaces',
    'shaping',
    'telemetry',
    'identity',
    'fronts',
    'http',
    'config',
  ],
  app: [
    'dashboard',
    'protocol',
    'gateway',
    'surfaces',
    'shaping',
    'upstreams',
    'telemetry',
    'identity',
    'fronts',
    'http',
    'config',
    'search',
    'storage',
    'jobs',
    'replicas',
    'builtins',
    'sandbox',
  ],
  // The person's gateway, and the bridges of its clients.
  local: ['app', 'fronts', 'config', 'identity', 'gateway', 'protocol'],
  cli: [
    'app',
    'local',
    'builtins',
    'replicas',
    'fronts',
    'http',
    'telemetry',
    'config',
    'gateway',
    'protocol',
    'identity',
    'upstreams',
    'storage',
    'shaping',
    'search',
    'sandbox',
  ],
}

/** Single files of other folders that a folder may import as well. */
const FILES_MAY_IMPORT: Record<string, readonly string[]> = {
  // The list of manifests: which built-ins there are is part of the schema.
  // Versions are sealed with the key of the vault.
  config: [
    'builtins/index.ts',
    'identity/identity-files.ts',
    'identity/safe-file.ts',
    'identity/vault/open-vault.ts',
    'identity/vault/seal.ts',
  ],
  // Who made a recorded call.
  telemetry: ['identity/who-is.ts'],
  builtins: ['shaping/tokens.ts', 'identity/safe-file.ts'],
  // What tools answer, for the pages.
  dashboard: ['code', 'knowledge', 'traces'].map((name) => `builtins/${name}/answers.ts`),
}

const sources = readdirSync(SRC, { recursive: true, encoding: 'utf8' }).filter(
  (file) => file.includes('/') && file.endsWith('.ts') && !file.endsWith('.test.ts'),
)

/** The files of src/ that a file of it imports. */
function importsOf(file: string): string[] {
  return [...textOf(file).matchAll(/(?:from|import\s*\(?)\s*'(\.[^']+)'/g)].map(
    ([, specifier = '']) => relative(SRC, resolve(SRC, dirname(file), specifier)),
  )
}

const WEB = resolve(import.meta.dirname, '../web/src')
/** The contract and the types that belong to it. */
const isContract = (path: string) => /^dashboard\/contract(\/\w+)?\.ts$/.test(relative(SRC, path))

const pages = readdirSync(WEB, { recursive: true, encoding: 'utf8' }).filter((file) =>
  /\.tsx?$/.test(file),
)

it.each(pages)('web: %s takes only the types of the contract from the gateway', (file) => {
  const text = readFileSync(join(WEB, file), 'utf8')
  const strangers = [
    ...text.matchAll(/(import\s+type\s[^']*)?(?:from|import\s*\(?)\s*'(\.[^']+)'/g),
  ]
    .map(([, types, specifier = '']) => ({ types, path: resolve(WEB, dirname(file), specifier) }))
    .filter(({ path }) => !path.startsWith(`${WEB}/`))
    .filter(({ types, path }) => types === undefined || !isContract(path))
  expect(strangers).toEqual([])
})

it.each(sources)('%s imports only what its folder may', (file) => {
  const [folder = ''] = file.split('/')
  const imported = importsOf(file)
  const folders = folder === 'base' ? [] : ['base', ...(MAY_IMPORT[folder] ?? [])]
  const forbidden = imported.filter((path) => {
    const [name = ''] = path.split('/')
    return name !== folder && !folders.includes(name) && !FILES_MAY_IMPORT[folder]?.includes(path)
  })
  expect(forbidden).toEqual([])
})

const PACKS = resolve(SRC, '../packs')
const packFiles = readdirSync(PACKS, { recursive: true, encoding: 'utf8' }).filter(
  (file) => file.endsWith('.ts') && !file.endsWith('.test.ts'),
)

it.each(packFiles)(
  'packs: %s takes only types from Portolan, as the pack of a user does',
  (file) => {
    const text = readFileSync(join(PACKS, file), 'utf8')
    const imported = [...text.matchAll(/(import type [^']*)?(?:from|import\s*\(?)\s*'([^']+)'/g)]
    const [pack = ''] = file.split('/')
    const strangers = imported
      .filter(([, type, name = '']) =>
        name.startsWith('.')
          ? !resolve(PACKS, dirname(file), name).startsWith(`${PACKS}/${pack}/`)
          : name === 'portolan' && type === undefined,
      )
      .map(([, , name]) => name)
    expect(strangers).toEqual([])
  },
)

const isInside = (one: string, other: string) => `${one}/`.startsWith(`${other}/`)

it('folders beside each other do not import each other', () => {
  const imports = new Set(
    sources.flatMap((file) => importsOf(file).map((path) => `${dirname(file)} > ${dirname(path)}`)),
  )
  const mutual = [...imports].filter((pair) => {
    const [from = '', to = ''] = pair.split(' > ')
    return !isInside(from, to) && !isInside(to, from) && imports.has(`${to} > ${from}`)
  })
  expect(mutual).toEqual([])
})

/** The files that start programs, so that a new one is looked at: what it runs, and in whose name. */
const START_PROGRAMS = [
  'app/upstreams/secret-reader.ts',
  'base/flow/start-process.ts',
  'base/git/run-git.ts',
  'base/open-browser.ts',
  'builtins/knowledge/ingest/document-process.ts',
  'cli/server/server-tools.ts',
  // The client that a tape is recorded or replayed for.
  'cli/tapes/serve-tape.ts',
  'cli/traces/hooks/events/session-start.ts',
  'identity/vault/open-vault.ts',
  'local/start-in-background.ts',
  'upstreams/stdio/bubblewrap/find-bubblewrap.ts',
  'upstreams/stdio/bubblewrap/network-worker.ts',
  'upstreams/stdio/child.ts',
  'upstreams/stdio/reaper.ts',
]

const textOf = (file: string) => readFileSync(join(SRC, file), 'utf8')

it('only these files start programs, and only one of them starts git', () => {
  const starting = sources.filter((file) => textOf(file).includes('child_process'))
  expect(starting.toSorted()).toEqual(START_PROGRAMS)
  const git = starting.filter((file) => /(['"`])git\1/.test(textOf(file)))
  expect(git).toEqual(['base/git/run-git.ts'])
})

it('a manifest loads nothing of its built-in before it is opened, but for its settings', () => {
  const manifests = sources.filter((file) => /^builtins\/(?!kit\/)[^/]+\/index\.ts$/.test(file))
  expect(manifests.length).toBeGreaterThan(2)
  for (const file of manifests) {
    expect(loadedBy(file)).toEqual(['../kit/define-builtin.ts', './settings.ts'])
    expect(loadedBy(file.replace('index.ts', 'settings.ts'))).toEqual([])
  }
})

function loadedBy(file: string): (string | undefined)[] {
  const text = readFileSync(join(SRC, file), 'utf8')
  return [...text.matchAll(/^import (?!type )[^']*'([^']+)'/gm)].map(([, path]) => path)
}

it('the tools of traces know the service by its API only', () => {
  const adapter = sources.filter((file) => file.startsWith('builtins/traces/adapter/'))
  expect(adapter.length).toBeGreaterThan(3)
  for (const file of adapter)
    expect(readFileSync(join(SRC, file), 'utf8')).not.toMatch(/from '[^']*\/service\//)
})

it('only `traces serve` and the administration load the community of traces', () => {
  const community = 'builtins/traces/community/'
  const loading = sources.filter(
    (file) =>
      !file.startsWith(community) && importsOf(file).some((path) => path.startsWith(community)),
  )
  expect(loading.toSorted()).toEqual(['cli/traces/open-embedded.ts', 'cli/traces/serve-traces.ts'])
})

it.each(sources)(
  '%s does not find files by where it lies itself: the build puts it elsewhere',
  (file) => {
    if (file === 'base/files/package-files.ts') return
    const text = readFileSync(join(SRC, file), 'utf8')
    expect(text).not.toMatch(/import\.meta\.(dirname|filename)|new URL\([^)]*import\.meta/)
  },
)

/** The helpers that start the built program; what they read is not under test until it is built. */
const STARTS_PROGRAM = /support\/(run-cli|run-built|gateway|standalone|start-traces-server)\.ts'/

it('unit tests start no program of ours, so they need no build and stay fast', () => {
  const tests = [SRC, PACKS]
    .flatMap((folder) =>
      readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((file) => join(folder, file)),
    )
    .filter((file) => /(?<!\.process|\.database)\.test\.ts$/.test(file))
  expect(tests.length).toBeGreaterThan(300)
  const starting = tests.filter((file) => STARTS_PROGRAM.test(readFileSync(file, 'utf8')))
  expect(starting).toEqual([])
})

import { readFileSync, readdirSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { expect, it } from 'vitest'

const SRC = resolve(import.meta.dirname, '../src')

/** Which folders of src/ each folder may import besides `base`, which lies below them all. */
const MAY_IMPORT: Record<string, readonly string[]> = {
  protocol: [],
  gateway: ['protocol'],
  surfaces: ['gateway', 'protocol', 'search', 'shaping'],
  shaping: ['gateway', 'protocol'],
  upstreams: ['gateway', 'protocol'],
  telemetry: ['gateway', 'protocol'],
  identity: ['gateway', 'protocol'],
  fronts: ['gateway', 'protocol'],
  config: ['gateway', 'protocol'],
  search: ['protocol'],
  storage: [],
  jobs: ['storage'],
  redis: ['gateway', 'protocol', 'fronts'],
  // The ports of others, kept in the database that replicas share.
  database: [
    'gateway',
    'protocol',
    'storage',
    'config',
    'identity',
    'shaping',
    'telemetry',
    'upstreams',
  ],
  servers: ['protocol', 'search', 'storage', 'jobs'],
  traces: ['protocol', 'search', 'storage', 'jobs'],
  dashboard: [
    'protocol',
    'gateway',
    'surfaces',
    'shaping',
    'telemetry',
    'identity',
    'fronts',
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
    'config',
    'search',
    'storage',
    'jobs',
    'redis',
    'database',
    'servers',
    'traces',
  ],
  cli: [
    'app',
    'database',
    'fronts',
    'telemetry',
    'config',
    'gateway',
    'protocol',
    'identity',
    'servers',
    'upstreams',
    'storage',
    'redis',
    'traces',
    'shaping',
    'search',
  ],
}

const sources = readdirSync(SRC, { recursive: true, encoding: 'utf8' }).filter(
  (file) => file.includes('/') && file.endsWith('.ts') && !file.endsWith('.test.ts'),
)

const WEB = resolve(import.meta.dirname, '../web/src')
const CONTRACT = join(SRC, 'dashboard/contract.ts')

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
    .filter(({ types, path }) => types === undefined || path !== CONTRACT)
  expect(strangers).toEqual([])
})

it.each(sources)('%s imports only what its folder may', (file) => {
  const [folder = ''] = file.split('/')
  const text = readFileSync(join(SRC, file), 'utf8')
  const imported = [...text.matchAll(/(?:from|import\s*\(?)\s*'(\.[^']+)'/g)].map(
    ([, specifier = '']) => relative(SRC, resolve(SRC, dirname(file), specifier)).split('/')[0],
  )
  const allowed = folder === 'base' ? [] : ['base', ...(MAY_IMPORT[folder] ?? [])]
  const strangers = imported.filter((name) => name !== folder && !allowed.includes(name ?? ''))
  expect(strangers).toEqual([])
})

it.each(sources)(
  '%s does not find files by where it lies itself: the build puts it elsewhere',
  (file) => {
    if (file === 'base/package-files.ts') return
    const text = readFileSync(join(SRC, file), 'utf8')
    expect(text).not.toMatch(/import\.meta\.(dirname|filename)|new URL\([^)]*import\.meta/)
  },
)

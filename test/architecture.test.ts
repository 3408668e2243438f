import { readFileSync, readdirSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { expect, it } from 'vitest'

const SRC = resolve(import.meta.dirname, '../src')

/** Which folders of src/ each folder may import. Nothing else compiles into the product. */
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
  redis: ['gateway', 'protocol'],
  servers: ['protocol', 'search', 'storage'],
  traces: ['protocol', 'search', 'storage'],
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
    'redis',
    'servers',
    'traces',
  ],
  cli: [
    'app',
    'fronts',
    'telemetry',
    'config',
    'gateway',
    'protocol',
    'identity',
    'servers',
    'upstreams',
    'storage',
    'traces',
    'shaping',
    'search',
  ],
}

const sources = readdirSync(SRC, { recursive: true, encoding: 'utf8' }).filter(
  (file) => file.includes('/') && file.endsWith('.ts') && !file.endsWith('.test.ts'),
)

it.each(sources)('%s imports only what its folder may', (file) => {
  const [folder = ''] = file.split('/')
  const text = readFileSync(join(SRC, file), 'utf8')
  const imported = [...text.matchAll(/(?:from|import\s*\(?)\s*'(\.[^']+)'/g)].map(
    ([, specifier = '']) => relative(SRC, resolve(SRC, dirname(file), specifier)).split('/')[0],
  )
  const strangers = imported.filter(
    (name) => name !== folder && !MAY_IMPORT[folder]?.includes(name ?? ''),
  )
  expect(strangers).toEqual([])
})

/**
 * `npx tsx scripts/house.ts [CHECKOUT …]` prints how large the product is: this checkout beside
 * others, which are built. `--no-install` leaves out what an installation takes.
 */
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'

/** Starts of which the median counts. */
const STARTS = 15

type Figures = Readonly<Record<string, number>>

const HERE = join(import.meta.dirname, '..')
const args = process.argv.slice(2)
const installs = !args.includes('--no-install')
const checkouts = [...args.filter((arg) => !arg.startsWith('--')), HERE]

const columns: Record<string, number>[] = checkouts.map((checkout) => ({
  ...sourcesOf(checkout),
  ...contractOf(checkout),
  ...(installs && installationOf(checkout)),
}))
const starts = checkouts.map((): Start[] => [])
// In turns, so that other work on the machine slows all of them.
for (let round = 0; round < STARTS; round += 1)
  for (const [at, checkout] of checkouts.entries()) starts[at]?.push(await start(checkout))
for (const [at, column] of columns.entries()) {
  column['first answer ms'] = median(starts[at]?.map(({ ms }) => ms) ?? [])
  column['RSS MB'] = median(starts[at]?.map(({ megabytes }) => megabytes) ?? [])
}
const rows = [...new Set(columns.flatMap((column) => Object.keys(column)))]
const width = Math.max(...rows.map((row) => row.length))
for (const row of rows) {
  const cells = columns.map((column) => (column[row]?.toLocaleString('en') ?? '–').padStart(12))
  console.log(`${row.padEnd(width)}${cells.join('')}`)
}
console.log(`RESULT ${JSON.stringify(columns.at(-1))}`)

/** Production files and lines per folder of `src`, and what other files can import of them. */
function sourcesOf(checkout: string): Figures {
  const figures: Record<string, number> = { 'src files': 0, 'src lines': 0, 'exported names': 0 }
  const add = (name: string, more: number) => (figures[name] = (figures[name] ?? 0) + more)
  for (const path of filesBelow(join(checkout, 'src'))) {
    const text = readFileSync(path, 'utf8')
    const lines = text.split('\n').length - 1
    const [folder = ''] = relative(join(checkout, 'src'), path).split('/')
    add('src files', 1)
    add('src lines', lines)
    add('exported names', text.match(/^export (?!\*|\{|type \{)/gm)?.length ?? 0)
    if (!folder.endsWith('.ts')) add(`  ${folder}`, lines)
  }
  for (const folder of ['web', 'packs'])
    for (const path of filesBelow(join(checkout, folder)))
      add(`${folder} lines`, readFileSync(path, 'utf8').split('\n').length - 1)
  return figures
}

function filesBelow(folder: string): string[] {
  if (!existsSync(folder)) return []
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((path) => /\.tsx?$/.test(path) && !/\.(?:test|bench)\.tsx?$/.test(path))
    .map((path) => join(folder, path))
}

/** What a person can set and type. */
function contractOf(checkout: string): Figures {
  const read = (path: string) => readFileSync(join(checkout, 'docs/reference', path), 'utf8')
  return {
    settings: read('config.md').split('\n### ')[0]?.match(/^\| `/gm)?.length ?? 0,
    commands: read('cli.md').match(/^#{2,5} portolan\b/gm)?.length ?? 0,
  }
}

/** Packages, and megabytes on the disk as `du` counts them, of the package as users install it. */
function installationOf(checkout: string): Figures {
  const place = mkdtempSync(join(tmpdir(), 'portolan-house-'))
  try {
    npm(checkout, 'run', 'shrinkwrap')
    npm(checkout, 'pack', '--pack-destination', place)
    rmSync(join(checkout, 'npm-shrinkwrap.json'))
    const [tarball = ''] = readdirSync(place)
    writeFileSync(join(place, 'package.json'), '{"private": true}')
    npm(place, 'install', '--no-audit', '--no-fund', '--prefer-offline', `./${tarball}`)
    const listed = npm(place, 'ls', '--all', '--parseable').trim().split('\n')
    const [kilobytes] = execFileSync('du', ['-sk', 'node_modules'], {
      cwd: place,
      encoding: 'utf8',
    }).split('\t')
    return {
      'npm packages': listed.length - 1,
      'installed MB': Math.round(Number(kilobytes) / 1024),
    }
  } finally {
    rmSync(place, { recursive: true, force: true })
  }
}

function npm(cwd: string, ...words: string[]): string {
  return execFileSync('npm', [...words, '--silent', '--ignore-scripts'], { cwd, encoding: 'utf8' })
}

interface Start {
  readonly ms: number
  readonly megabytes: number
}

/** Starts a gateway over stdio, in an empty home, until its first answer. */
async function start(checkout: string): Promise<Start> {
  const home = mkdtempSync(join(tmpdir(), 'portolan-house-'))
  const began = performance.now()
  const child = spawn(process.execPath, [join(checkout, 'dist/cli/main.js')], {
    cwd: home,
    env: { PATH: process.env['PATH'], HOME: home, PORTOLAN_ALONE: '1' },
    stdio: ['pipe', 'pipe', 'ignore'],
  })
  const clientInfo = { name: 'house', version: '1' }
  const params = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo }
  child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params })}\n`)
  await once(child.stdout, 'data')
  const ms = performance.now() - began
  const status = readFileSync(`/proc/${child.pid}/status`, 'utf8')
  child.kill('SIGKILL')
  await once(child, 'exit')
  rmSync(home, { recursive: true, force: true })
  return { ms, megabytes: Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024 }
}

function median(numbers: readonly number[]): number {
  return Math.round(numbers.toSorted((one, other) => one - other)[numbers.length >> 1] ?? NaN)
}

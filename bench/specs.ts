/**
 * Imports and calls every OpenAPI and Swagger description below a folder: reports what is refused
 * and why, what is lost, and whether calls arrive as an independent reader expects.
 * `npm run bench -- specs <folder> [--calls <per description>] [--jobs <processes>] [--report <file>]`
 * `--from 3480 --to 3700` runs a part: descriptions are numbered by size, the smallest is 1.
 * Made for https://github.com/APIs-guru/openapi-directory, which is only read, not stored.
 */
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import type { SpecReport } from './specs/report.ts'

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    calls: { type: 'string', default: '6' },
    jobs: { type: 'string', default: '2' },
    report: { type: 'string' },
    from: { type: 'string', default: '1' },
    to: { type: 'string' },
  },
})
const [folder] = positionals
if (folder === undefined) throw new Error('Give the folder: npm run bench -- specs <folder>')

/** Each larger description gets its own process, so that its memory can be measured. */
const LARGE_BYTES = 1_500_000
const PER_PROCESS = 150
const MAX_MS = 300_000

const all = describedIn(folder)
const from = Math.max(1, Number(options.from))
const to = Math.min(all.length, Number(options.to ?? all.length))
const files = all.slice(from - 1, to)
const large = files.filter(({ bytes }) => bytes > LARGE_BYTES)
const small = files.filter(({ bytes }) => bytes <= LARGE_BYTES)
const reports: SpecReport[] = []
const batches = [
  ...chunks(
    small.map(({ file }) => file),
    PER_PROCESS,
  ),
  ...large.map(({ file }) => [file]),
]
// An interrupted run prints the reports it has so far.
process.once('SIGINT', () => {
  print(reports)
  process.exit(130)
})
await Promise.all(Array.from({ length: Number(options.jobs) }, async () => drain(batches)))
print(reports)

async function drain(queue: string[][]): Promise<void> {
  for (let batch = queue.shift(); batch; batch = queue.shift()) await run(batch)
}

async function run(batch: readonly string[]): Promise<void> {
  let child: ChildProcess | undefined
  for (const file of batch) {
    child ??= await start()
    const answered = once(child, 'message', { signal: AbortSignal.timeout(MAX_MS) })
    const stop = new AbortController()
    const ended = once(child, 'exit', stop).then(() => undefined)
    child.send({ file, calls: options.calls })
    const answer = await Promise.race([answered, ended]).catch(() => undefined)
    stop.abort()
    ended.catch(() => undefined)
    if (answer) reports.push(answer[0])
    else {
      reports.push(crashed(file))
      child.kill('SIGKILL')
      child = undefined
    }
    if (reports.length % 200 === 0) process.stderr.write(`${reports.length}/${files.length}\n`)
  }
  child?.disconnect()
}

async function start(): Promise<ChildProcess> {
  const child = fork(join(import.meta.dirname, 'specs', 'worker.ts'), {
    execArgv: [...process.execArgv, '--max-old-space-size=1400'],
    stdio: ['ignore', 'inherit', 'ignore', 'ipc'],
  })
  await once(child, 'message')
  return child
}

function crashed(file: string): SpecReport {
  const none = { operations: 0, tools: 0, reported: 0, importMs: 0, rssMb: 0 }
  const refused = `CRASHED or took longer than ${MAX_MS / 1000} s`
  return { file, ...none, called: 0, exact: 0, unsampled: 0, refused, problems: [], lost: [] }
}

function describedIn(top: string): { file: string; bytes: number }[] {
  return readdirSync(top, { recursive: true, encoding: 'utf8' })
    .filter((name) => /(^|[/\\])(openapi|swagger)\.(ya?ml|json)$/.test(name))
    .map((name) => ({ file: join(top, name), bytes: statSync(join(top, name)).size }))
    .toSorted((a, b) => a.bytes - b.bytes)
}

function chunks<T>(items: readonly T[], size: number): T[][] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, n) =>
    items.slice(n * size, n * size + size),
  )
}

function print(done: readonly SpecReport[]): void {
  if (options.report !== undefined)
    writeFileSync(options.report, JSON.stringify(done, undefined, 1))
  const refused = done.filter((one) => one.refused !== undefined)
  for (const { file, refused: why } of refused) console.log(`refused ${file}: ${why}`)
  for (const { file, lost } of done)
    for (const each of lost.slice(0, 3)) console.log(`lost ${file}: ${each}`)
  for (const { file, problems } of done)
    for (const each of problems.slice(0, 3)) console.log(`inexact ${file}: ${each}`)
  const times = done.map((one) => one.importMs).toSorted((a, b) => a - b)
  const sum = (of: (one: SpecReport) => number) => done.reduce((total, one) => total + of(one), 0)
  const [called, exact] = [sum((one) => one.called), sum((one) => one.exact)]
  const imported = done.length - refused.length
  printMost(done)
  const result = {
    part: `${from} to ${to} of ${all.length}`,
    specs: done.length,
    imported,
    imported_pct: percent(imported, done.length),
    operations: sum((one) => one.operations),
    tools: sum((one) => one.tools),
    reported_left_out: sum((one) => one.reported),
    silently_lost: sum((one) => one.lost.length),
    called,
    exact,
    exact_pct: percent(exact, called),
    not_sampled: sum((one) => one.unsampled),
    import_ms_p50: Math.round(times[Math.floor(times.length / 2)] ?? 0),
    import_ms_max: Math.round(times.at(-1) ?? 0),
    largest_mb: Math.round((files.at(-1)?.bytes ?? 0) / 1e5) / 10,
    rss_mb_max: Math.round(Math.max(...done.map((one) => one.rssMb))),
  }
  console.log(`RESULT ${JSON.stringify(result)}`)
}

/** Prints the slowest descriptions, and those that needed the most memory. */
function printMost(done: readonly SpecReport[]): void {
  for (const one of done.toSorted((a, b) => b.importMs - a.importMs).slice(0, 5))
    console.log(`slowest ${one.file}: ${Math.round(one.importMs)} ms, ${one.operations} operations`)
  for (const one of done.toSorted((a, b) => b.rssMb - a.rssMb).slice(0, 5))
    console.log(`most memory ${one.file}: ${Math.round(one.rssMb)} MB`)
}

function percent(part: number, whole: number): number {
  return whole === 0 ? 0 : Math.round((10_000 * part) / whole) / 100
}

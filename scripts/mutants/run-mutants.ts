import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { type Line, readLines, writeLine } from './run-log.ts'

/** A mutant whose tests write nothing for this long hangs in a loop that no time limit can end. */
const STALLED_MS = 90_000
const LOOK_MS = 500

export interface Tried {
  /** Test files that fail without any mutant. */
  readonly red: readonly string[]
  readonly covered: ReadonlySet<string>
  /** Mutants that are only reached while a module is loaded, before any mutant is active. */
  readonly static: ReadonlySet<string>
  readonly killed: ReadonlySet<string>
}

/** Runs the tests of the copy against its mutants; a run that hangs is ended and continued. */
export async function runMutants(copy: string, wanted: Omit<Run, 'log'>): Promise<Tried> {
  const log = join(copy, 'mutants.jsonl')
  const run = { ...wanted, log }
  rmSync(log, { force: true })
  // The first run finds which tests reach which mutants, and what they cost.
  await runOnce(copy, run)
  for (;;) {
    await runOnce(copy, run)
    const lines = readLines(log)
    if (isComplete(lines)) return toTried(lines)
    const last = lines.at(-1)
    if (last === undefined) throw new Error('The tests do not even start')
    if ('begin' in last) writeLine(log, { file: last.file, tried: last.begin, isKilled: true })
    else if (!('leftOver' in last)) throw new Error(`The tests ended after ${JSON.stringify(last)}`)
  }
}

interface Run {
  readonly tests: readonly string[]
  /** The files whose mutants are tried; unrelated tests are not run. */
  readonly files: readonly string[]
  /** One in this many mutants is tried. */
  readonly every: number
  readonly log: string
}

async function runOnce(copy: string, { tests, files, every, log }: Run): Promise<void> {
  const vitest = join(copy, 'node_modules', 'vitest', 'vitest.mjs')
  const args = ['related', ...files, '--run', '--config', 'vitest.mutants.config.ts']
  const child = spawn(process.execPath, [vitest, ...args], {
    cwd: copy,
    env: {
      ...process.env,
      CI: '1',
      MUTANTS_TESTS: tests.join(' '),
      MUTANTS_LOG: log,
      MUTANTS_EVERY: String(every),
    },
    stdio: 'ignore',
    detached: true,
  })
  const startedAt = Date.now()
  const timer = setInterval(() => {
    const wroteAt = statSync(log, { throwIfNoEntry: false })?.mtimeMs ?? 0
    const isStalled = Date.now() - Math.max(wroteAt, startedAt) > STALLED_MS
    if (isStalled || (wroteAt > startedAt && isLeftOver(readLines(log).at(-1)))) end(child)
  }, LOOK_MS)
  await once(child, 'exit')
  clearInterval(timer)
}

/** Whether every test file has tried the mutants it covers, or cannot. */
function isComplete(lines: readonly Line[]): boolean {
  const over = new Set(
    lines.flatMap((line) => ('done' in line || 'isRed' in line ? line.file : [])),
  )
  return lines.every((line) => over.has(line.file))
}

function isLeftOver(line: Line | undefined): boolean {
  return line !== undefined && 'leftOver' in line
}

/** Ends the run with all processes that the tests have started. */
function end({ pid }: ChildProcess): void {
  if (pid !== undefined) process.kill(-pid, 'SIGKILL')
}

function toTried(lines: readonly Line[]): Tried {
  const covered = new Set(lines.flatMap((line) => ('covered' in line ? line.covered : [])))
  const loaded = new Set(lines.flatMap((line) => ('loaded' in line ? line.loaded : [])))
  return {
    red: lines.flatMap((line) => ('isRed' in line ? line.file : [])),
    covered,
    static: new Set([...loaded].filter((id) => !covered.has(id))),
    killed: new Set(lines.flatMap((line) => ('tried' in line && line.isKilled ? line.tried : []))),
  }
}

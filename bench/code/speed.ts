import { execFile } from 'node:child_process'
import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { z } from 'zod'
import { type Repository, loadRepositories } from './benchmark.ts'
import { quantile } from './score.ts'

const run = promisify(execFile)
const LINES_WANTED = 1_000_000

export interface Speed {
  readonly coldIndexMsMedian: number
  readonly linesPerSecond: number
  readonly rssMb: number
  readonly oneFileMs: number
  readonly noChangeMs: number
}

const probed = z.object({
  coldMs: z.number(),
  firstQueryMs: z.number(),
  lines: z.number(),
  rssMb: z.number(),
  noChangeMs: z.number(),
  oneFileMs: z.number(),
})

/** Measures each repository in its own process, so that nothing is warm and memory is separate. */
export async function measureSpeed(repos: string, data: string): Promise<Speed> {
  const repositories = loadRepositories(data).filter(({ name }) => existsSync(join(repos, name)))
  const cold: number[] = []
  for (const repository of repositories) cold.push((await probe(rootOf(repos, repository))).coldMs)
  const large = await withLargeTree(repos, repositories, probe)
  console.error(`first question on ${large.lines} lines: ${Math.round(large.firstQueryMs)} ms`)
  return {
    coldIndexMsMedian: quantile(cold, 0.5),
    linesPerSecond: large.lines / (large.coldMs / 1000),
    rssMb: large.rssMb,
    oneFileMs: large.oneFileMs,
    noChangeMs: large.noChangeMs,
  }
}

function rootOf(repos: string, { name, benchmark_root: root }: Repository): string {
  return join(repos, name, root)
}

async function probe(root: string): Promise<z.infer<typeof probed>> {
  const script = join(import.meta.dirname, 'probe.ts')
  const { stdout } = await run(process.execPath, ['--import', 'tsx', script, root])
  return probed.parse(JSON.parse(stdout))
}

/** Copies repositories up to a million lines into a folder that is removed afterwards. */
async function withLargeTree<T>(
  repos: string,
  repositories: readonly Repository[],
  use: (root: string) => Promise<T>,
): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'portolan-large-'))
  try {
    let lines = 0
    for (let copy = 0; lines < LINES_WANTED && copy < 10; copy++)
      for (const repository of repositories) {
        if (lines >= LINES_WANTED) break
        const target = join(folder, `copy${copy}`, repository.name)
        mkdirSync(target, { recursive: true })
        cpSync(rootOf(repos, repository), target, { recursive: true, filter: isPlain })
        lines += await countLines(target)
      }
    // The benchmark changes this file of its own instead of a copy.
    appendFileSync(join(folder, 'changed.ts'), 'export const before = 1\n')
    return await use(folder)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function isPlain(source: string): boolean {
  return !source.endsWith('/.git')
}

async function countLines(folder: string): Promise<number> {
  if (readdirSync(folder).length === 0) return 0
  const { stdout } = await run('bash', [
    '-c',
    'find "$0" -type f -print0 | xargs -0 cat | wc -l',
    folder,
  ])
  return Number(stdout)
}

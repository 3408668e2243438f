import { execFile } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { loadRepositories, loadTasks } from './benchmark.ts'
import { quantile } from './score.ts'

const run = promisify(execFile)
const CLI = join(import.meta.dirname, '../../dist/cli/main.js')
const TIMES = 7

/** Times a new `portolan code search` process from start to answer, on an indexed repository. */
export async function measureFirstAnswer(repos: string, data: string): Promise<number | undefined> {
  const repository = loadRepositories(data).find(({ name }) => existsSync(join(repos, name)))
  const [task] = repository ? loadTasks(data, repository.name) : []
  if (!repository || !task || !existsSync(CLI)) {
    console.error('No figure for the first answer: run `npm run build` first')
    return undefined
  }
  const root = join(repos, repository.name, repository.benchmark_root)
  const home = mkdtempSync(join(tmpdir(), 'portolan-home-'))
  const options = { cwd: root, env: { ...process.env, PORTOLAN_HOME: home } }
  try {
    await run(process.execPath, [CLI, 'code', 'index', root], options)
    const times: number[] = []
    for (let time = 0; time < TIMES; time++) {
      const started = performance.now()
      const { stdout } = await run(process.execPath, [CLI, 'code', 'search', task.query], options)
      times.push(performance.now() - started)
      if (stdout.trim() === '') throw new Error('The command answered nothing')
    }
    return quantile(times, 0.5)
  } finally {
    rmSync(home, { recursive: true, force: true })
  }
}

import { execFile } from 'node:child_process'
import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { isObject } from '../../src/base/json/json.ts'
import { closeCodeDeps, createCodeDeps } from '../../src/builtins/code/create-code-deps.ts'
import { DEFAULT_SETTINGS } from '../../src/builtins/code/engine/index/index-settings.ts'
import { projectAt } from '../../src/builtins/code/project/find-project.ts'
import { answerSearch } from '../../src/builtins/code/tools/search/answer-search.ts'
import { quantile } from './score.ts'

const run = promisify(execFile)
const QUERIES = [
  'how is a request authenticated',
  'retry with backoff after an error',
  'parse the configuration file',
  'watch for changes and update the cache',
  'schedule work on a node',
  'write a test double for the clock',
  'Controller',
  'NewServer',
]
const PATTERN = 'func New\\w+Controller\\('

/** Times indexing, queries, one change, and regex beside ripgrep, in a large tree. */
export async function measureScale(root: string): Promise<Record<string, unknown>> {
  const home = mkdtempSync(join(tmpdir(), 'portolan-scale-'))
  const deps = createCodeDeps({ home, background: true, freshnessBudgetMs: 60_000, env: {} })
  try {
    const cpu = process.cpuUsage()
    const started = performance.now()
    const { live } = await deps.library.build(projectAt(root), 'scale', DEFAULT_SETTINGS)
    const indexMs = performance.now() - started
    const { user, system } = process.cpuUsage(cpu)
    const rssMb = process.resourceUsage().maxRSS / 1024
    const ask = async (query: string, mode: 'ranked' | 'regex' = 'ranked') => {
      const before = performance.now()
      const answer = await answerSearch(toInput(query, mode), deps, context)
      return { ms: performance.now() - before, answer }
    }
    // Recently written files are read again until their time stamps can be trusted; watching begins
    // now.
    for (let n = 0; n < 3; n++) await ask('warm up the watch and the compiler')
    const times: number[] = []
    const asked = process.cpuUsage()
    for (let round = 0; round < 3; round++)
      for (const query of QUERIES) times.push((await ask(query)).ms)
    const queryCpu = process.cpuUsage(asked)
    const changed = [...live.index.files.keys()].find((path) => path.endsWith('.go')) ?? ''
    const oneFileMs = await afterOneChange(join(root, changed), async () =>
      ask('changedByTheBench'),
    )
    const regex = await ask(PATTERN, 'regex')
    const regexFiles = new Set(
      regex.answer.flatMap((item) => ('file_path' in item ? item.file_path : [])),
    )
    let lines = 0
    for (const file of live.index.files.values()) lines += file.lines
    return {
      files: live.index.files.size,
      lines,
      chunks: live.index.lexical.chunkCount,
      indexMs,
      indexCpuMs: (user + system) / 1_000,
      indexRssMb: rssMb,
      rssMb: process.memoryUsage().rss / 1024 / 1024,
      diskMb: deps.library.store.bytes('scale') / 1e6,
      queryP50Ms: quantile(times, 0.5),
      queryP95Ms: quantile(times, 0.95),
      queryCpuMs: (queryCpu.user + queryCpu.system) / 1_000 / times.length,
      oneFileMs,
      regexMs: regex.ms,
      regexFiles: regexFiles.size,
      ...(await ripgrep(root)),
    }
  } finally {
    await closeCodeDeps(deps)
    rmSync(home, { recursive: true, force: true })
  }
}

const context = {
  signal: new AbortController().signal,
  agent: undefined,
  isRemote: false,
  headers: {},
  project: async () => {
    throw new Error('The bench names its index')
  },
  progress: () => undefined,
}

function toInput(query: string, mode: 'ranked' | 'regex') {
  return {
    query,
    mode,
    index_name: 'scale',
    index_names: null,
    limit: mode === 'regex' ? 1_000 : 10,
    language: null,
    symbol_type: null,
    symbol_name: null,
    context_before: null,
    context_after: null,
    smart_context: false,
    include_deps: false,
    min_score: null,
    max_tokens: mode === 'regex' ? null : 2_000,
    use_hybrid_search: null,
    rewrite_query: false,
  }
}

/** Times a query after a change of one file, which is restored afterwards. */
async function afterOneChange(
  file: string,
  ask: () => Promise<{ readonly ms: number; readonly answer: readonly unknown[] }>,
): Promise<number> {
  const before = readFileSync(file)
  try {
    appendFileSync(file, '\nvar changedByTheBench = 1\n')
    const { ms, answer } = await ask()
    const isFound = answer.some((item) => isObject(item) && item['file_path'] !== undefined)
    if (!isFound) throw new Error('The changed file was not found')
    return ms
  } finally {
    writeFileSync(file, before)
  }
}

async function ripgrep(root: string): Promise<Record<string, unknown>> {
  const times: number[] = []
  let files = 0
  try {
    for (let n = 0; n < 3; n++) {
      const started = performance.now()
      const { stdout } = await run('rg', ['-l', PATTERN, root], { maxBuffer: 1e8 })
      times.push(performance.now() - started)
      files = stdout.trim().split('\n').length
    }
  } catch {
    console.error('No figure for ripgrep: it is not installed')
    return {}
  }
  return { ripgrepMs: quantile(times, 0.5), ripgrepFiles: files }
}

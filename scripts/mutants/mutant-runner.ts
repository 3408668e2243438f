import { startTests } from '@vitest/runner'
import { type RunnerTask, type RunnerTestCase, type RunnerTestFile, TestRunner, vi } from 'vitest'
import { type Line, isSampled, readLines, writeLine } from './run-log.ts'

type Hits = Record<string, number>

/** What the instrumented code reads and writes: the active mutant, and which ones were reached. */
interface Switch {
  activeMutant?: string | undefined
  currentTestId?: string | undefined
  hitCount?: number
  hitLimit?: number
  /** How often each test reached each mutant. The code keeps a reference to this object. */
  readonly mutantCoverage: { readonly static: Hits; readonly perTest: Record<string, Hits> }
}

const mutants: Switch = { mutantCoverage: { static: {}, perTest: {} } }
Object.assign(globalThis, { __stryker__: mutants })
const LOG = process.env['MUTANTS_LOG'] ?? ''
/** One in this many mutants is tried. */
const EVERY = Number(process.env['MUTANTS_EVERY'] ?? 1)

/** After this many mutants, the tests must pass without any. */
const BATCH = 20
/** Enough for tests that take milliseconds; longer tests get a multiple of their own time. */
const LIMIT_MS = 3_000
const LIMIT_FACTOR = 3
/** A loop that runs this many times as often as without the mutant counts as endless. */
const HITS_FACTOR = 100

/** Records which test reaches which mutants. */
class Noting extends TestRunner {
  override async onBeforeRunTask(test: RunnerTask): Promise<void> {
    await super.onBeforeRunTask(test)
    mutants.currentTestId = fullName(test)
  }

  override onAfterRunTask(test: RunnerTask): void {
    super.onAfterRunTask(test)
    mutants.currentTestId = undefined
  }
}

/**
 * Runs each test file without mutants; in a second run also again for each mutant that its tests
 * reach, in the same thread: modules are loaded once, so that a mutant only costs its tests.
 */
export default class MutantRunner extends Noting {
  override async onAfterRunFiles(files?: RunnerTestFile[]): Promise<void> {
    super.onAfterRunFiles()
    for (const file of files ?? []) {
      const { filepath } = file
      if (file.result?.state === 'fail') {
        writeLine(LOG, { file: filepath, isRed: true })
        continue
      }
      // Module code runs only once, when loaded: only mutants reached in a second run can be tried.
      const loaded = [...Object.keys(mutants.mutantCoverage.static), ...testsOf(takeHits()).keys()]
      await this.#fails(filepath, [''], this.config.testTimeout)
      const hits = takeHits()
      const before = readLines(LOG).filter((line) => line.file === filepath || 'tried' in line)
      if (before.some((line) => 'covered' in line)) await this.#tryMutants(file, hits, before)
      else {
        const covered = [...testsOf(hits).keys()]
        writeLine(LOG, { file: filepath, covered, loaded, ms: sum(file) })
      }
    }
  }

  async #tryMutants(
    { filepath, tasks }: RunnerTestFile,
    hits: Record<string, Hits>,
    before: readonly Line[],
  ): Promise<void> {
    const limitMs = Math.max(LIMIT_MS, ...durations(tasks).map((ms) => LIMIT_FACTOR * ms))
    // After a mutant has left state behind here, mutants are tried singly, to know which one did.
    const batch = before.some((line) => 'leftOver' in line) ? 1 : BATCH
    const tried: { readonly id: string; readonly tests: string[]; readonly isKilled: boolean }[] =
      []

    /** Records the tried mutants, if the tests still pass without any mutant. */
    const settle = async () => {
      const batchTried = tried.splice(0)
      const used = [...new Set(batchTried.flatMap(({ tests }) => tests))]
      mutants.activeMutant = undefined
      const isDirty =
        used.length > 0 && (await this.#fails(filepath, used, this.config.testTimeout))
      if (!isDirty || batch === 1)
        for (const { id, isKilled } of batchTried)
          writeLine(LOG, { file: filepath, tried: id, isKilled })
      if (!isDirty) return
      writeLine(LOG, { file: filepath, leftOver: true })
      // The reader of the log ends this process and starts a clean one.
      await new Promise(() => setInterval(() => undefined, 1_000))
    }

    const isOver = toIsOver(before, filepath)
    for (const [id, tests] of testsOf(hits)) {
      if (!isSampled(id, EVERY) || isOver(id)) continue
      writeLine(LOG, { file: filepath, begin: id })
      const most = Math.max(...tests.map((test) => hits[test]?.[id] ?? 0))
      mutants.activeMutant = id
      mutants.hitCount = 0
      mutants.hitLimit = most * HITS_FACTOR + 1_000
      tried.push({ id, tests, isKilled: await this.#fails(filepath, tests, limitMs) })
      if (tried.length >= batch) await settle()
    }
    await settle()
    writeLine(LOG, { file: filepath, done: true })
  }

  async #fails(filepath: string, tests: readonly string[], testTimeout: number): Promise<boolean> {
    const testNamePattern = new RegExp(`(?:${tests.map(escape).join('|')})$`)
    const again = new Again(this, { testNamePattern, testTimeout })
    await startTests([{ filepath, testLocations: undefined }], again)
    vi.useRealTimers()
    vi.restoreAllMocks()
    vi.unstubAllEnvs()
    vi.unstubAllGlobals()
    return again.hasFailed
  }
}

/** Runs some tests of a file again, without reporting, and stops at the first failure. */
class Again extends Noting {
  hasFailed = false

  constructor(
    first: MutantRunner,
    changed: { readonly testNamePattern: RegExp; readonly testTimeout: number },
  ) {
    super({ ...first.config, ...changed })
    for (const name of ['moduleRunner', 'viteModuleRunner', '_otel'])
      Object.defineProperty(this, name, { value: Reflect.get(first, name), writable: true })
  }

  /** Loads a test file again, because loading creates its tests. */
  override importFile(path: string, source: 'collect' | 'setup'): unknown {
    const { evaluatedModules } = Reflect.get(this, 'workerState')
    const loaded = evaluatedModules.getModuleById(path)
    if (loaded) evaluatedModules.invalidateModule(loaded)
    return super.importFile(path, source)
  }

  override onAfterRunTask(test: RunnerTask): void {
    super.onAfterRunTask(test)
    if (test.result?.state === 'fail') this.#stop()
  }

  override async onAfterRunSuite(suite: RunnerTask): Promise<void> {
    if (suite.result?.state === 'fail') this.#stop()
  }

  #stop(): void {
    this.hasFailed = true
    this.cancel('test-failure')
  }
}

function takeHits(): Record<string, Hits> {
  const { perTest } = mutants.mutantCoverage
  const hits = { ...perTest }
  for (const test of Object.keys(hits)) delete perTest[test]
  return hits
}

/** Returns the tests that reach each mutant. */
function testsOf(hits: Record<string, Hits>): Map<string, string[]> {
  const tests = new Map<string, string[]>()
  for (const [test, counts] of Object.entries(hits))
    for (const id of Object.keys(counts)) tests.set(id, [...(tests.get(id) ?? []), test])
  return tests
}

/** Whether a mutant need not be tried again with this file. */
function toIsOver(lines: readonly Line[], file: string): (id: string) => boolean {
  const over = new Set<string>()
  for (const line of lines)
    if ('tried' in line && (line.isKilled || line.file === file)) over.add(line.tried)
  return (id) => over.has(id)
}

function sum({ tasks }: RunnerTestFile): number {
  return durations(tasks).reduce((all, ms) => all + ms, 0)
}

function durations(tasks: readonly RunnerTask[]): number[] {
  return tasks.flatMap((task) =>
    task.type === 'suite' ? durations(task.tasks) : (task.result?.duration ?? 0),
  )
}

function fullName({ name, suite }: RunnerTask | RunnerTestCase): string {
  return suite ? `${fullName(suite)} ${name}` : name
}

function escape(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')
}

import { setTimeout } from 'node:timers/promises'
import type { SuspendedScript } from '../../src/surfaces/scripts/run/suspended-scripts.ts'
import { type Effects, effect } from './effect.ts'
import { type Toy, openToy } from './open-toy.ts'

type Env = Record<string, string>

const EVERYBODY = { PORTOLAN_SCRIPTS_ENABLED: 'true' }

/** What a script answers, as text, or the code of its failure. */
const ran = (code: string) => async (env: Env) => answerOf(code, env)

async function answerOf(code: string, env: Env): Promise<string> {
  const { call } = await openToy({ ...EVERYBODY, ...env })
  return call('run_script', { code }, { surface: 'discover' })
}

const runner = async (env: Env): Promise<Toy['app']['world']['scripts']> =>
  (await openToy({ ...EVERYBODY, ...env })).app.world.scripts

/** What becomes of a script that asks a person who answers a moment later. */
async function suspended(env: Env): Promise<string> {
  const { suspended: scripts } = await runner(env)
  const snapshot = { stackPointer: 0, runtimePtr: 0, contextPtr: 0, extensions: [] }
  const tokens = { settle: 0, watch: 0, input: 0, seed: 0 }
  const image = {
    wasm: '',
    snapshot: { ...snapshot, memory: new Uint8Array(1000) },
    tokens,
    spent: { threadMs: 0, calls: 0, logChars: 0 },
    open: 0,
  }
  const script: SuspendedScript = {
    suspended: { image, answers: [], later: [], leftMs: 1 },
    memo: {
      source: '',
      wallMs: 1,
      maxTokens: undefined,
      plan: false,
      trail: { entries: [], planned: [], logs: [] },
      open: [],
      begunBy: '',
    },
  }
  const state = await scripts.keep(script, 'ada')
  if (state === undefined) return 'not stored'
  await setTimeout(5)
  const taken = await scripts.take(state, 'ada')
  return taken && 'why' in taken ? taken.why : 'goes on'
}

const FAILED = 'SCRIPT_FAILED'
const LARGE_STRING = `'x'.repeat(8e6).length`
/** Depends on no processor: it ends as soon as the time is over. */
const BUSY = `const from = Date.now(); while (Date.now() - from < 100); 'done'`
const ROWS = `Array.from({ length: 500 }, (_, id) => ({ id, name: 'row ' + id }))`

/** The section `scripts`. */
export const SCRIPTS: Effects = {
  'scripts.enabled': effect(
    'true',
    async (env) => (await (await openToy(env)).list()).includes('run_script'),
    [false, true],
  ),
  'scripts.threads': effect('1', async (env) => (await runner(env))?.limits.threads, [2, 1]),
  'scripts.questionMs': effect('1', suspended, ['goes on', 'late']),
  'scripts.heapBytes': effect('4194304', ran(LARGE_STRING), ['{"result":8000000}', FAILED]),
  'scripts.threadMs': effect('20', ran(BUSY), ['{"result":"done"}', FAILED]),
  'scripts.wallMs': effect('50', ran(`await sleep(300); 'done'`), ['{"result":"done"}', FAILED]),
  'scripts.calls': effect('1', ran(`await sleep(1); await sleep(1); 'done'`), [
    '{"result":"done"}',
    FAILED,
  ]),
  'scripts.maxTokens': effect(
    '400',
    async (env) => (await answerOf(ROWS, env)).includes('row 400'),
    [true, false],
  ),
}

import { describe, expect, it } from 'vitest'
import { SANDBOX_LIMITS, useSandbox } from '../../test/support/use-sandbox.ts'
import { Canceller } from '../base/flow/signal.ts'
import type { ScriptEnd, FailureCode } from './messages.ts'
import { SandboxPool } from './pool.ts'
import type { Host } from './run.ts'

const create = useSandbox()

/** Answers every call with its own arguments; `sleep` waits, a tool named `open` never answers. */
function echo(logs: string[] = []): Host {
  return {
    log: (text) => void logs.push(text),
    async answer({ operation, names, json }) {
      if (operation === 'sleep') await new Promise((resolve) => setTimeout(resolve, Number(json)))
      if (names.includes('"open"')) await new Promise(() => {})
      return { kind: 'value', text: json }
    },
  }
}

interface Asked {
  readonly input?: string
  readonly wallMs?: number
  readonly host?: Host
  readonly signal?: Canceller
}

async function run(pool: SandboxPool, source: string, asked: Asked = {}): Promise<ScriptEnd> {
  const { input, wallMs = 60_000, host = echo(), signal = new Canceller() } = asked
  return pool.run({ source, input, wallMs }, host, signal)
}

async function valueOf(pool: SandboxPool, source: string, asked?: Asked): Promise<unknown> {
  const { outcome } = await run(pool, source, asked)
  if ('json' in outcome) return JSON.parse(outcome.json)
  return 'failure' in outcome ? outcome.failure : 'suspended'
}

describe('the result of a script', () => {
  const pool = create()

  it.each([
    ['1 + 1', 2],
    ['return 1 + 1', 2],
    ['const x = await tools.a.b({ n: 2 }); x.n', 2],
    ['async function main() { return 2 }\nmain()', 2],
    ['const n: number = 2; n', 2],
    ['interface N { n: number }\nreturn ({ n: 2 } as N).n', 2],
    ['if (input.wanted) return 2; return 3', 2],
    ['new Map([["a", new Set([2])]])', { a: [2] }],
    ['let none', null],
    ['const [a, b, c] = [2, 1, 3]; a < b > (c)', false],
  ])('of %j is %j', async (source, expected) => {
    expect(await valueOf(pool, source, { input: '{"wanted":true}' })).toEqual(expected)
  })

  it('keeps every digit, both ways', async () => {
    const source = `const { id } = await tools.a.b(input); [typeof id, id, id + 1n]`
    const { outcome } = await run(pool, source, { input: '{"id":12345678901234567890}' })
    expect(outcome).toEqual({ json: '["bigint",12345678901234567890,12345678901234567891]' })
  })

  it('draws other random numbers in every script', async () => {
    const draws = new Set<unknown>()
    for (let count = 0; count < 3; count++) draws.add(await valueOf(pool, 'Math.random()'))
    expect(draws.size).toBe(3)
  })

  it('has nothing of the host in reach, and nothing of another script', async () => {
    await valueOf(pool, 'globalThis.leaked = 1; Array.prototype.leaked = 1; 1')
    const names = ['process', 'require', 'fetch', 'setTimeout', 'send', 'leaked', 'Atomics']
    const source = `[...${JSON.stringify(names)}.map((name) => typeof globalThis[name]), typeof [].leaked,
      new Function('return typeof process')()]`
    expect(await valueOf(pool, source)).toEqual(Array.from({ length: 9 }, () => 'undefined'))
    expect(await valueOf(pool, `import('node:fs')`)).toMatchObject({ code: 'script_error' })
  })
})

describe('a failure', () => {
  const pool = create()

  it.each<[source: string, code: FailureCode, place: [line: number, column: number]]>([
    ['1\n  const x = ;', 'syntax', [2, 13]],
    ['return 1\n  const x = ;', 'syntax', [2, 13]],
    ['let a: string\nlet b: = 1', 'syntax', [2, 8]],
    ['enum Colour { Red }', 'syntax', [1, 1]],
    ['const a = {}\na.b.c', 'script_error', [2, 1]],
    ['const a = {}\nreturn a.b.c', 'script_error', [2, 8]],
    ['const a: any = {}\nreturn a.b.c', 'script_error', [2, 8]],
    ['\nthrow new Error("mine")', 'script_error', [2, 11]],
  ])('of %j is %s, at %j of the source', async (source, code, [line, column]) => {
    expect(await valueOf(pool, source)).toMatchObject({ code, line, column })
  })

  it('of a call points at the line that called', async () => {
    const host: Host = {
      log: () => {},
      answer: async () => ({
        kind: 'error',
        text: '{"name":"ToolError","message":"no","data":{"code":"X","problems":[1]}}',
      }),
    }
    expect(await valueOf(pool, '1\nawait tools.a.b()', { host })).toMatchObject({
      code: 'script_error',
      name: 'ToolError',
      message: 'no',
      data: { code: 'X', problems: [1] },
      line: 2,
    })
    expect(await valueOf(pool, 'tools.a.b().catch(({ code }) => code)', { host })).toBe('X')
  })

  it('shows no path of ours', async () => {
    const sources = [
      'tools.a.b(Object.assign(() => 1, { toJSON() { throw new Error() } })).catch((e) => e.stack)',
      'tools.a.b(Symbol()).then(String, (e) => e.stack)',
    ]
    for (const source of sources)
      expect(String(await valueOf(pool, source))).not.toMatch(/node_modules|sandbox\/|\.mjs/)
  })
})

describe('a limit', () => {
  const pool = create()

  it.each<[source: string, code: FailureCode]>([
    ['for (;;);', 'thread_limit'],
    ['for (;;) await 0', 'thread_limit'],
    ['const kept = []; for (;;) kept.push(new Uint8Array(1e6))', 'memory_limit'],
    ['const deep = () => deep() + 1; deep()', 'stack_limit'],
    ['for (;;) await tools.a.b()', 'call_limit'],
    ['await new Promise(() => {})', 'never_settles'],
    ['"x".repeat(6000)', 'result_limit'],
  ])('of %j ends it as %s', async (source, code) => {
    expect(await valueOf(pool, source)).toMatchObject({ code })
  })

  it('of the source refuses a longer one', async () => {
    const source = `/*${'x'.repeat(SANDBOX_LIMITS.sourceChars)}*/`
    expect(await valueOf(pool, source)).toMatchObject({ code: 'source_limit' })
  })

  it('of wall time ends it while it waits', async () => {
    const source = 'await tools.a.open()'
    expect(await valueOf(pool, source, { wallMs: 100 })).toMatchObject({ code: 'wall_limit' })
  })

  it('of arguments and of answers can be caught', async () => {
    const source = `tools.a.b({ big: 'x'.repeat(input) }).then(() => 'ok', ({ name }) => name)`
    expect(await valueOf(pool, source, { input: '900' })).toBe('ok')
    expect(await valueOf(pool, source, { input: '1001' })).toBe('ArgumentsTooLarge')
    const limits = { argumentChars: 10_000, answerChars: 1000 }
    expect(await valueOf(create(limits), source, { input: '1001' })).toBe('AnswerTooLarge')
  })

  it('of logs cuts them', async () => {
    const logs: string[] = []
    const source = 'for (let i = 0; i < 1000; i++) log("line", i); 1'
    expect(await valueOf(pool, source, { host: echo(logs) })).toBe(1)
    expect(logs[0]).toBe('line 0')
    expect(logs.at(-1)).toContain('more than 200 characters')
    expect(logs.length).toBeLessThan(20)
  })
})

describe('threads', () => {
  it('are shared: scripts that wait make room for others, and go on', async () => {
    const pool = create({ threads: 1 })
    const source = `
      const parts = []
      for (let i = 0; i < 3; i++) { parts.push((await tools.a.b({ i })).i); await sleep(20) }
      parts.join() + input`
    const many = Array.from({ length: 12 }, async (_, n) =>
      valueOf(pool, source, { input: String(n) }),
    )
    expect(await Promise.all(many)).toEqual(Array.from({ length: 12 }, (_, n) => `0,1,2${n}`))
  })

  it('that must be ended cost no other script anything', async () => {
    const pool = create({ threads: 2, threadMs: 1000 })
    const neighbours = Array.from({ length: 4 }, async (_, n) =>
      valueOf(pool, `await sleep(1500); ${n}`),
    )
    // A native operation that never asks whether to stop.
    const stuck = `const a = 'a'.repeat(3e6), b = 'a'.repeat(3e6); for (;;) a < b`
    expect(await valueOf(pool, stuck)).toMatchObject({ code: 'thread_limit' })
    expect(await Promise.all(neighbours)).toEqual([0, 1, 2, 3])
    expect(await valueOf(pool, '1')).toBe(1)
  })

  it('are free again when a script is cancelled, whether it waits or computes', async () => {
    const pool = create({ threads: 1, threadMs: 20_000 })
    for (const source of ['await tools.a.open()', 'for (;;);']) {
      const signal = new Canceller()
      const cancelled = valueOf(pool, `log('begun'); ${source}`, {
        signal,
        host: { ...echo(), log: () => setTimeout(() => signal.abort(), 50) },
      })
      expect(await cancelled).toMatchObject({ code: 'cancelled' })
      expect(await valueOf(pool, '1')).toBe(1)
    }
  })

  it('abort what is under way for a script that has ended', async () => {
    const aborted: boolean[] = []
    const host: Host = {
      log: () => {},
      async answer(_ask, { signal }) {
        await new Promise<void>((resolve) => signal.addEventListener('abort', resolve))
        aborted.push(true)
        return { kind: 'value', text: '1' }
      },
    }
    expect(await valueOf(create(), 'void tools.a.b(); "early"', { host })).toBe('early')
    await expect.poll(() => aborted).toEqual([true])
  })
})

it('gets answers that come together in the order in which they were given, each for its own call', async () => {
  const given: (() => void)[] = []
  const host: Host = {
    log: () => {},
    answer: async ({ json }) =>
      new Promise((resolve) => {
        given.unshift(() => resolve({ kind: 'value', text: json }))
        if (given.length === 3) setImmediate(() => given.splice(0).forEach((give) => give()))
      }),
  }
  const source = `
    const order = []
    const call = (n) => tools.a.b({ n }).then((answer) => order.push([n, answer.n]))
    await Promise.all([1, 2, 3].map(call))
    await Promise.all([4, 5, 6].map(call))
    order.join(' ')`
  expect(await valueOf(create(), source, { host })).toBe('3,3 2,2 1,1 6,6 5,5 4,4')
})

it('takes memory for what a script still holds, not for every answer it has had', async () => {
  const pool = create({ answerChars: 200_000, threadMs: 30_000 })
  const text = JSON.stringify('x'.repeat(100_000))
  const host: Host = { log: () => {}, answer: async () => ({ kind: 'value', text }) }
  const all = 'for (let n = 0; n < 190; n++) '
  const source = (step: string) => `let held = []; ${all} ${step}; held.length`
  expect(await valueOf(pool, source('held = await tools.a.b({})'), { host })).toBe(100_000)
  expect(await valueOf(pool, source('held.push(await tools.a.b({}))'), { host })).toMatchObject({
    code: 'memory_limit',
  })
})

it('breaks nothing for the next script when the source is nested too deeply', async () => {
  const pool = create()
  const deep = `let x: number = ${'('.repeat(20_000)}1${')'.repeat(20_000)}`
  expect(await valueOf(pool, deep)).toHaveProperty('code')
  expect(await valueOf(pool, 'const x: number = 1; x')).toBe(1)
})

import { describe, expect, it } from 'vitest'
import { deferred } from '../../test/support/deferred.ts'
import { useSandbox } from '../../test/support/use-sandbox.ts'
import { Canceller } from '../base/flow/signal.ts'
import type { Ask, ScriptEnd, SuspendedRun } from './messages.ts'
import { packSuspended, unpackSuspended } from './pack-suspended.ts'
import { SandboxPool } from './pool.ts'
import type { Host, Reply } from './run.ts'

const MIB = 1024 * 1024
const create = useSandbox({
  threadMs: 5000,
  calls: 20,
  argumentChars: 100_000,
  answerChars: 100_000,
})

/** Echoes arguments; a tool named `person` is answered from `said`, and put off while nobody said anything. */
function host(said: Readonly<Record<number, string>> = {}, more: Partial<Host> = {}): Host {
  return {
    log: () => {},
    async answer({ id, names, json }): Promise<Reply> {
      if (!names.includes('"person"')) return { kind: 'value', text: json }
      const answer = said[id]
      return answer === undefined ? { kind: 'later' } : { kind: 'value', text: answer }
    },
    ...more,
  }
}

async function start(pool: SandboxPool, source: string, from = host(), signal = new Canceller()) {
  return pool.run({ source, input: undefined, wallMs: 60_000 }, from, signal)
}

function suspendedBy({ outcome }: ScriptEnd): SuspendedRun {
  if (!('suspended' in outcome)) throw new Error(`not suspended: ${JSON.stringify(outcome)}`)
  return outcome.suspended
}

const valueOf = ({ outcome }: ScriptEnd): unknown =>
  'json' in outcome ? JSON.parse(outcome.json) : outcome

/** Through bytes, as over a disk. */
const moved = async (suspended: SuspendedRun) =>
  (await unpackSuspended(await packSuspended(suspended, {}))).suspended

const ids = (asks: readonly Ask[]) => asks.map(({ id }) => id)

describe('a script that asks a person', () => {
  it('goes on in another pool where it stood, with closures, loops and try blocks', async () => {
    const [here, there] = [create(), create()]
    const source = `
      class Till { #sum = 0; add(n) { this.#sum += n; return this.#sum } }
      const till = new Till()
      const out = []
      function* steps() { for (const n of [1, 2, 3]) yield n }
      try {
        for (const n of steps()) {
          if (n === 2) out.push(await tools.a.person({ n }))
          out.push(till.add(n))
        }
      } finally { out.push('end') }
      return out`
    const suspended = suspendedBy(await start(here, source))
    expect(suspended).toMatchObject({ answers: [], later: [{ id: 1, operation: 'tool' }] })
    const ended = await there.resume(await moved(suspended), host({ 1: '"yes"' }), new Canceller())
    expect(valueOf(ended)).toEqual([1, 'yes', 3, 6, 'end'])
  })

  it('asks twice, and is suspended twice', async () => {
    const pool = create()
    const source = `[await tools.a.person(), await tools.a.echo({ n: 1 }), await tools.a.person()]`
    const first = suspendedBy(await start(pool, source))
    const second = suspendedBy(
      await pool.resume(await moved(first), host({ 1: '"one"' }), new Canceller()),
    )
    expect(ids(second.later)).toEqual([3])
    const ended = await pool.resume(await moved(second), host({ 3: '"two"' }), new Canceller())
    expect(valueOf(ended)).toEqual(['one', { n: 1 }, 'two'])
  })

  it('holds the answers of calls under way, and puts several questions at once', async () => {
    const [pool, slow, allAsked] = [create(), deferred<Reply>(), deferred<void>()]
    const asked: string[] = []
    const waiting: Host = {
      ...host(),
      async answer(ask, controls) {
        if (asked.push(ask.json) === 3) allAsked.resolve()
        return ask.names.includes('"slow"') ? slow.promise : host().answer(ask, controls)
      },
    }
    const source = `
      const all = await Promise.all([
        tools.a.slow({}).then(async (value) => [value, await tools.a.echo({ after: 1 })]),
        tools.a.person({ q: 1 }), tools.a.person({ q: 2 })])
      return all`
    const started = start(pool, source, waiting)
    await allAsked.promise
    // Its thread is free for others while a call is under way.
    expect(valueOf(await start(pool, '1 + 1'))).toBe(2)
    slow.resolve({ kind: 'value', text: '"slowly"' })
    const suspended = suspendedBy(await started)
    expect(suspended.answers).toEqual([{ id: 1, kind: 'value', text: '"slowly"' }])
    expect(ids(suspended.later)).toEqual([2, 3])
    expect(asked).toHaveLength(3)
    const ended = await pool.resume(
      await moved(suspended),
      host({ 2: '"a"', 3: '"b"' }),
      new Canceller(),
    )
    expect(valueOf(ended)).toEqual([['slowly', { after: 1 }], 'a', 'b'])
  })

  it('is asked again for what nobody answered, without a thread', async () => {
    const pool = create()
    const suspended = suspendedBy(await start(pool, `await tools.a.person()`))
    const again = suspendedBy(await pool.resume(await moved(suspended), host(), new Canceller()))
    expect(again.later).toEqual(suspended.later)
    const ended = await pool.resume(await moved(again), host({ 1: '7' }), new Canceller())
    expect(valueOf(ended)).toBe(7)
  })

  it('carries what it has used, and its time does not run while it waits', async () => {
    const pool = create({ calls: 3 })
    const source = `await tools.a.echo(); await tools.a.person(); await tools.a.echo(); await tools.a.echo()`
    const suspended = suspendedBy(await start(pool, source))
    expect(suspended.image.spent.calls).toBe(2)
    expect(suspended.leftMs).toBeLessThanOrEqual(60_000)
    const { outcome } = await pool.resume(await moved(suspended), host({ 2: '1' }), new Canceller())
    expect(outcome).toMatchObject({ failure: { code: 'call_limit' } })
    const late = { ...suspendedBy(await start(pool, source)), leftMs: 20 }
    const never: Host = host({}, { answer: async () => new Promise(() => {}) })
    const timedOut = await pool.resume(await moved(late), never, new Canceller())
    expect(timedOut.outcome).toMatchObject({ failure: { code: 'wall_limit' } })
  })

  it('stops when it is cancelled while calls under way keep it, or once it goes on', async () => {
    const pool = create()
    const [cancelled, later, personAsked] = [new Canceller(), new Canceller(), deferred<void>()]
    const hangs = host(
      {},
      {
        async answer(ask, controls) {
          if (ask.names.includes('"hang"')) return new Promise(() => {})
          personAsked.resolve()
          return host().answer(ask, controls)
        },
      },
    )
    const started = start(
      pool,
      `await Promise.all([tools.a.hang(), tools.a.person()])`,
      hangs,
      cancelled,
    )
    await personAsked.promise
    cancelled.abort()
    expect((await started).outcome).toMatchObject({ failure: { code: 'cancelled' } })
    const suspended = suspendedBy(await start(pool, `await tools.a.person(); await tools.a.hang()`))
    const answered: Host = { ...hangs, answer: async () => new Promise(() => {}) }
    const resumed = pool.resume(await moved(suspended), answered, later)
    later.abort()
    expect((await resumed).outcome).toMatchObject({ failure: { code: 'cancelled' } })
    expect(valueOf(await start(pool, '1 + 1'))).toBe(2)
  })

  it('has expired where the engine is another one, or its memory no longer allowed', async () => {
    const pool = create()
    const source = `const large = new Uint8Array(6e6); large.fill(1); await tools.a.person()`
    const suspended = suspendedBy(await start(pool, source))
    const other = { ...suspended, image: { ...suspended.image, wasm: 'another' } }
    const expired = { failure: { code: 'script_expired' } }
    const answer = host({ 1: '1' })
    expect((await pool.resume(other, answer, new Canceller())).outcome).toMatchObject(expired)
    const small = create({ heapBytes: 4 * MIB, wallBytes: 4 * MIB })
    expect((await small.resume(suspended, answer, new Canceller())).outcome).toMatchObject(expired)
    expect(valueOf(await pool.resume(await moved(suspended), answer, new Canceller()))).toBe(1)
  })
})

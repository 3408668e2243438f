import { expect, it } from 'vitest'
import { Dependency, NotItsFault } from './dependency.ts'

const NEVER = new Promise<never>(() => undefined)

function aDependency(openMs = 60_000) {
  const clock = { now: 0 }
  const changes: (string | undefined)[] = []
  const dependency = new Dependency({
    failures: 2,
    openMs,
    now: () => clock.now,
    onChange: (failure) => changes.push(failure),
  })
  const kindOf = async (work: () => Promise<unknown>, ms = 10, isFair?: () => boolean) =>
    (await dependency.ask(async () => work(), ms, isFair)).kind
  return { dependency, clock, changes, kindOf }
}

it('passes an answer on, and says why there is none', async () => {
  const { dependency } = aDependency()
  expect(await dependency.ask(async () => 7, 1000)).toEqual({ kind: 'answer', value: 7 })
  const error = new Error('refused')
  expect(await dependency.ask(async () => Promise.reject(error), 1000)).toEqual({
    kind: 'failed',
    error,
  })
  expect(await dependency.ask(async () => NEVER, 10)).toMatchObject({
    kind: 'late',
    error: { message: 'no answer within 10 ms' },
  })
})

it('does not ask again for a while after failures in a row, and says so once each time', async () => {
  const { clock, changes, kindOf } = aDependency()
  const kinds = []
  for (let n = 0; n < 4; n++) kinds.push(await kindOf(async () => NEVER))
  expect(kinds).toEqual(['late', 'late', 'skipped', 'skipped'])
  expect(changes).toEqual(['no answer within 10 ms'])
  clock.now = 60_000
  expect(await kindOf(async () => 'back')).toBe('answer')
  expect(changes).toEqual(['no answer within 10 ms', undefined])
})

it('is asked again at once when something has changed', async () => {
  const { dependency, kindOf } = aDependency()
  for (let n = 0; n < 3; n++) await kindOf(async () => NEVER)
  dependency.reset()
  expect(await kindOf(async () => 'back')).toBe('answer')
})

it('is not blamed for what is not its fault', async () => {
  const { kindOf } = aDependency()
  for (let n = 0; n < 4; n++)
    expect(await kindOf(async () => Promise.reject(new NotItsFault('the caller left')))).toBe(
      'failed',
    )
  for (let n = 0; n < 4; n++)
    expect(
      await kindOf(
        async () => NEVER,
        5,
        () => false,
      ),
    ).toBe('late')
  expect(await kindOf(async () => 1)).toBe('answer')
})

it('tells the work when nobody waits for it any more', async () => {
  const { dependency } = aDependency()
  const signals: AbortSignal[] = []
  await dependency.ask(async (signal) => {
    signals.push(signal)
    return NEVER
  }, 5)
  expect(signals.map(({ aborted }) => aborted)).toEqual([true])
})

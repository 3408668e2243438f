import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import type { Signal } from '../../base/flow/signal.ts'
import { Line, type LineOptions } from './line.ts'
import { BackingOff, TransportError } from '../failures.ts'
import type { Link } from '../link.ts'

function aLink() {
  let lose: ((reason: Error) => void) | undefined
  const gone = new Promise<Error>((resolve) => (lose = resolve))
  let closed = 0
  const link: Link = {
    era: 'legacy',
    version: '2025-11-25',
    canAsk: true,
    capabilities: {},
    serverInfo: undefined,
    instructions: undefined,
    request: async () => ({}),
    notify: () => undefined,
    gone,
    async close() {
      closed += 1
    },
  }
  return { link, lose: (why = 'lost') => lose?.(new Error(why)), closed: () => closed }
}

function aLine(connect: LineOptions['connect'], options: Partial<LineOptions> = {}) {
  const downs: string[] = []
  const line = new Line({
    connect,
    connectMs: 1000,
    backoffMs: { min: 10_000, max: 60_000 },
    up: () => undefined,
    down: (error) => downs.push(`${error.message}, ${line.status.state}`),
    ...options,
  })
  return { line, downs }
}

/** Never comes up; ends when it is told that nobody waits. */
const hanging = async (signal: Signal) =>
  new Promise<Link>((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason))
  })

describe('Line', () => {
  it('opens once for all who ask', async () => {
    const { link } = aLink()
    let opened = 0
    const { line } = aLine(async () => {
      opened += 1
      await sleep(5)
      return link
    })
    expect(line.status).toEqual({ state: 'idle' })
    const both = [line.link(), line.link()]
    expect(line.status).toEqual({ state: 'starting' })
    expect(await Promise.all(both)).toEqual([link, link])
    expect(line.status).toMatchObject({ state: 'ready', era: 'legacy' })
    expect(opened).toBe(1)
  })

  it('tries again at once after the first failure, and later after more', async () => {
    const { line, downs } = aLine(async () => Promise.reject(new Error('no')))
    await expect(line.link()).rejects.toThrow('no')
    await expect(line.link()).rejects.not.toBeInstanceOf(BackingOff)
    const third: unknown = await line.link().catch((error: unknown) => error)
    expect(third).toBeInstanceOf(BackingOff)
    expect(third).toMatchObject({ message: 'no', retryAfterMs: expect.any(Number) })
    expect(downs).toEqual(['no, down', 'no, down'])
  })

  it('waits no longer when the clock of the machine is set back', async () => {
    const { line } = aLine(async () => Promise.reject(new Error('no')))
    await line.link().catch(() => undefined)
    await line.link().catch(() => undefined)
    const now = Date.now()
    const clock = vi.spyOn(Date, 'now').mockReturnValue(now - 3_600_000)
    const third: unknown = await line.link().catch((error: unknown) => error)
    clock.mockRestore()
    expect(third).toBeInstanceOf(BackingOff)
    expect(third instanceof BackingOff && third.retryAfterMs).toBeLessThanOrEqual(12_500)
    const { status } = line
    expect(status.state === 'down' && status.retryAt).toBeGreaterThan(now)
    expect(status.state === 'down' && status.retryAt).toBeLessThanOrEqual(Date.now() + 12_500)
  })

  it('comes back after a loss', async () => {
    const [first, second] = [aLink(), aLink()]
    const links = [first.link, second.link]
    const { line, downs } = aLine(async () => links.shift() ?? second.link)
    await line.link()
    first.lose('its process ended')
    await sleep(1)
    expect(downs).toEqual(['its process ended, down'])
    expect(await line.link()).toBe(second.link)
  })

  it('gives up a handshake that takes too long, and says so to whoever connects', async () => {
    const { line } = aLine(hanging, { connectMs: 20 })
    await expect(line.link()).rejects.toThrow('did not answer the handshake within 20 ms')
    expect(line.status.state).toBe('down')
  })

  it('closes a connection that comes up too late', async () => {
    const { link, closed } = aLink()
    const { line } = aLine(async () => sleep(60, link), { connectMs: 10 })
    await expect(line.link()).rejects.toThrow('handshake')
    await expect.poll(closed).toBe(1)
  })

  it('does not wait for a handshake when it is closed, and stays closed', async () => {
    const { line } = aLine(hanging)
    const opening = line.link()
    const begun = performance.now()
    await Promise.all([expect(opening).rejects.toThrow('removed'), line.close()])
    expect(performance.now() - begun).toBeLessThan(5000)
    await expect(line.link()).rejects.toThrow('removed')
    expect(line.status).toEqual({ state: 'closed' })
  })
})

/** How long a line waits after each of these lives, where no life is a failed start. */
async function pausesAfter(
  lives: readonly (number | undefined)[],
  randomValue = 0.5,
): Promise<number[]> {
  vi.useFakeTimers()
  const random = vi.spyOn(Math, 'random').mockReturnValue(randomValue)
  try {
    let opened = aLink()
    let isUp = true
    const { line } = aLine(async () => {
      if (!isUp) throw new Error('no')
      opened = aLink()
      return opened.link
    })
    const pauses: number[] = []
    for (const lifeMs of lives) {
      isUp = lifeMs !== undefined
      await line.link().catch(() => undefined)
      await vi.advanceTimersByTimeAsync(lifeMs ?? 0)
      if (isUp) opened.lose()
      await vi.advanceTimersByTimeAsync(0)
      pauses.push(line.waitMs)
      await vi.advanceTimersByTimeAsync(line.waitMs)
    }
    return pauses
  } finally {
    random.mockRestore()
    vi.useRealTimers()
  }
}

describe('the pause before the next attempt', () => {
  it('doubles with each failed start, up to the longest one', async () => {
    const starts = Array.from({ length: 6 }, () => undefined)
    expect(await pausesAfter(starts)).toEqual([0, 10_000, 20_000, 40_000, 60_000, 60_000])
  })

  it('grows too where the server ends within a second, and is none after a longer life', async () => {
    expect(await pausesAfter([999, 999, 999])).toEqual([0, 10_000, 20_000])
    expect(await pausesAfter([999, 999, 1_000, 999, 999])).toEqual([0, 10_000, 0, 0, 10_000])
  })

  it('is up to a quarter shorter or longer, so that servers do not start together', async () => {
    expect(await pausesAfter([undefined, undefined], 0)).toEqual([0, 7_500])
    expect(await pausesAfter([undefined, undefined], 1)).toEqual([0, 12_500])
  })
})

it('waits as long as a server that refuses the handshake asks for, up to five minutes', async () => {
  for (const [wanted, most] of [
    [120_000, 120_000],
    [1e12, 300_000],
  ]) {
    const { line } = aLine(async () => {
      throw new TransportError('HTTP 429', { status: 429, retryAfterMs: wanted })
    })
    await line.link().catch(() => undefined)
    expect(line.waitMs).toBeGreaterThan(Number(most) - 60_000)
    expect(line.waitMs).toBeLessThanOrEqual(Number(most))
  }
})

it('is opened again once, after its pause, and later where that was too early', async () => {
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())
  const { line } = aLine(async () => Promise.reject(new Error('not part of this test')))
  const failures: Error[] = [new BackingOff(new Error('down'), 50)]
  const open = vi.spyOn(line, 'link').mockImplementation(async () => {
    throw failures.shift() ?? new Error('down')
  })
  const triedAfter = async (ms: number) => {
    await vi.advanceTimersByTimeAsync(ms)
    return open.mock.calls.length
  }
  line.reopen(100)
  line.reopen(200)
  expect([await triedAfter(199), await triedAfter(1)]).toEqual([0, 1])
  expect([await triedAfter(50), await triedAfter(1)]).toEqual([1, 2])
  expect(await triedAfter(10_000), 'another failure says when to try again by itself').toBe(2)
  line.reopen(10)
  line.stopReopening()
  expect(await triedAfter(100)).toBe(2)
  line.reopen(10)
  await line.close()
  expect(await triedAfter(100)).toBe(2)
})

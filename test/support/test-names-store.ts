import { describe, expect, it } from 'vitest'
import type { NamesStore } from '../../src/gateway/names/names-store.ts'

export interface NamesStoreUnderTest {
  /** Opens the stores of two processes, for the configuration from this source. */
  readonly open: (source: string) => Promise<readonly [NamesStore, NamesStore]>
}

let count = 0
const newSource = () => `/srv/team/${process.pid}-${count++}/.mcp.json`

/** Tests that every store of names must pass, wherever the names are stored. */
export function testNamesStore(where: string, { open }: NamesStoreUnderTest): void {
  describe(`names in ${where}`, () => {
    it('are read by the other process, each configuration its own', async () => {
      const source = newSource()
      const [one, other] = await open(source)
      expect([await one.read(), await other.read()]).toEqual(['', ''])
      expect(await one.replace('', 'naïve\n😀')).toBe(true)
      expect(await other.read()).toBe('naïve\n😀')
      const [elsewhere] = await open(newSource())
      expect(await elsewhere.read()).toBe('')
    })

    it('are replaced only by whoever has read them as they are', async () => {
      const [one, other] = await open(newSource())
      expect(await one.replace('never stored', 'x')).toBe(false)
      expect(await one.replace('', 'first')).toBe(true)
      expect(await other.replace('', 'late')).toBe(false)
      expect(await other.replace('first', 'second')).toBe(true)
      expect(await one.replace('first', 'late')).toBe(false)
      expect(await one.read()).toBe('second')
    })

    it('are written by one of many at a time', async () => {
      const stores = await open(newSource())
      const tries = Array.from({ length: 10 }, async (_, n) => stores[n % 2]?.replace('', `${n}`))
      const written = (await Promise.all(tries)).flatMap((done, n) => (done ? [`${n}`] : []))
      expect(written).toHaveLength(1)
      expect(await stores[0].read()).toBe(written[0])
    })

    it('can be long', async () => {
      const [one, other] = await open(newSource())
      const long = 'x'.repeat(500_000)
      expect(await one.replace('', long)).toBe(true)
      expect(await other.replace(long, `${long}y`)).toBe(true)
      expect((await one.read())?.length).toBe(500_001)
    })
  })
}

/** Tests for stores that notify other processes of changes. */
export function testNamesNotices(where: string, { open }: NamesStoreUnderTest): void {
  it(`names in ${where}: the other process is notified, until it does not want to know`, async () => {
    const [one, other] = await open(newSource())
    let notified = 0
    const stop = other.onChange?.(() => notified++)
    // The notice of an earlier change may not have arrived yet.
    await expect
      .poll(async () => {
        const text = (await one.read()) ?? ''
        const before = notified
        await one.replace(text, `${text}x`)
        await new Promise((resolve) => setTimeout(resolve, 50))
        return notified > before
      })
      .toBe(true)
    stop?.()
    const before = notified
    const text = (await one.read()) ?? ''
    await one.replace(text, `${text}x`)
    await new Promise((resolve) => setTimeout(resolve, 100))
    expect(notified).toBe(before)
  })
}

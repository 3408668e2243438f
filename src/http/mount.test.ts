import { IncomingMessage, ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import { setImmediate } from 'node:timers/promises'
import { expect, it, onTestFinished } from 'vitest'
import { mountLazily } from './mount.ts'

function counted({ failures = 0 } = {}) {
  const counts = { opened: 0, closed: 0 }
  const mount = mountLazily(async () => {
    counts.opened++
    if (counts.opened <= failures) throw new Error('cannot be opened')
    return {
      fetch: ({ url }) => new Response(url),
      close: () => void counts.closed++,
    }
  })
  const incoming = new IncomingMessage(new Socket())
  const env = { incoming, outgoing: new ServerResponse(incoming) }
  const get = async (url: string) => (await mount.fetch(new Request(url), env)).text()
  return { counts, mount, get }
}

it('opens with the first request, once for all that come at the same time', async () => {
  const { counts, mount, get } = counted()
  expect(counts.opened).toBe(0)
  expect(await Promise.all([get('http://a/1'), get('http://a/2')])).toEqual([
    'http://a/1',
    'http://a/2',
  ])
  mount.close()
  await setImmediate()
  expect(counts).toEqual({ opened: 1, closed: 1 })
})

it('closes nothing, and opens nothing, where nobody asked', async () => {
  const { counts, mount } = counted()
  mount.close()
  await setImmediate()
  expect(counts).toEqual({ opened: 0, closed: 0 })
})

it('opens with the next request after a failure', async () => {
  const { counts, get } = counted({ failures: 1 })
  await expect(get('http://a/1')).rejects.toThrow('cannot be opened')
  expect(await get('http://a/2')).toBe('http://a/2')
  expect(counts.opened).toBe(2)
})

it('closes without an unhandled rejection after a failure', async () => {
  const unhandled: unknown[] = []
  const hear = (error: unknown) => unhandled.push(error)
  process.on('unhandledRejection', hear)
  onTestFinished(() => void process.off('unhandledRejection', hear))
  const { counts, mount, get } = counted({ failures: 1 })
  await expect(get('http://a/1')).rejects.toThrow('cannot be opened')
  mount.close()
  await setImmediate()
  expect(counts.closed).toBe(0)
  expect(unhandled).toEqual([])
})

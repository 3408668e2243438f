import { PassThrough, Writable } from 'node:stream'
import { expect, it, vi } from 'vitest'
import { AN_ARRIVAL, aBackend } from '../../test/support/a-backend.ts'
import { serveStdio } from './stdio.ts'

it('does not hear a client that does not read, until it has read', async () => {
  const input = new PassThrough()
  const written: (() => void)[] = []
  const output = new Writable({ write: (_chunk, _encoding, done) => void written.push(done) })
  const large = { text: 'x'.repeat(2_000_000) }
  const handle = vi.fn(async () => large)
  const backend = aBackend({ handle })
  serveStdio({ backend, arrival: AN_ARRIVAL, maxFrameBytes: 1_000, input, output })
  const ask = (id: number) =>
    input.write(`${JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/list' })}\n`)
  ask(1)
  await vi.waitFor(() => expect(input.isPaused()).toBe(true))
  ask(2)
  await new Promise((resolve) => setTimeout(resolve, 20))
  expect(handle).toHaveBeenCalledTimes(1)
  for (const done of written) done()
  await vi.waitFor(() => expect(handle).toHaveBeenCalledTimes(2))
})

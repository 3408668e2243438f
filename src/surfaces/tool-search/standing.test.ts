import { expect, it } from 'vitest'
import { toolKey } from '../../gateway/tools/tool-ref.ts'
import type { Tool, Upstream } from '../../gateway/upstream.ts'
import { standingOf } from './standing.ts'

function aServer(name: string, more: Partial<Upstream> = {}): Upstream {
  const server: Partial<Upstream> = { name, status: { state: 'idle' }, ...more }
  // Only what is looked at here.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  return server as Upstream
}

function aTool(server: string, readOnly = true): Tool {
  return { server, name: 'find', definition: { name: 'find' }, readOnly }
}

const NOTHING: ReadonlySet<string> = new Set()

it('speaks for what the agent used before, and for nothing of another name', async () => {
  const standing = await standingOf([aServer('a'), aServer('b')], new Set([toolKey(aTool('a'))]))
  expect(standing(aTool('a'))).toBeGreaterThan(0)
  expect(standing(aTool('b'))).toBe(0)
})

it('speaks against a server that is down or empty, less against what would fill it', async () => {
  const servers = [
    aServer('down', { status: { state: 'down', error: 'gone', retryAt: 0 } }),
    aServer('empty', { inProcess: { isEmpty: async () => true } }),
    aServer('full', { inProcess: { isEmpty: async () => false } }),
  ]
  const standing = await standingOf(servers, NOTHING)
  expect(standing(aTool('down'))).toBeLessThan(0)
  expect(standing(aTool('empty'))).toBeLessThan(standing(aTool('empty', false)))
  expect(standing(aTool('empty', false))).toBeLessThan(0)
  expect(standing(aTool('full'))).toBe(0)
})

it('waits for no server that cannot say whether it is empty', async () => {
  const servers = [
    aServer('hangs', { inProcess: { isEmpty: async () => new Promise(() => undefined) } }),
    aServer('fails', {
      inProcess: { isEmpty: async () => Promise.reject(new Error('no database')) },
    }),
  ]
  const standing = await standingOf(servers, NOTHING)
  expect([standing(aTool('hangs')), standing(aTool('fails'))]).toEqual([0, 0])
})

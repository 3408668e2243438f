import { expect, it } from 'vitest'
import { aCall } from '../../test/support/a-call.ts'
import { deferred } from '../../test/support/deferred.ts'
import { Canceller } from '../base/flow/signal.ts'
import type { JsonObject } from '../base/json/json.ts'
import type { Service } from '../protocol/service.ts'
import { createInProcess } from './in-process.ts'

function opened(parts: Partial<Service>) {
  const service: Service = {
    info: { name: 'here', version: '1' },
    capabilities: {},
    handle: async () => ({}),
    close: async () => undefined,
    ...parts,
  }
  return createInProcess({ name: 'here', description: 'about', open: async () => service })
}

it('a replaced server of this process finishes calls in flight when it is replaced, and hands later ones to its successor', async () => {
  const [answered, events] = [deferred<JsonObject>(), [] as string[]]
  const close = async () => void events.push('closed')
  const [old, fresh] = [
    opened({
      handle: async (method) => (method === 'tools/list' ? {} : answered.promise),
      close,
    }),
    opened({ handle: async () => ({ from: 'successor' }) }),
  ]
  const { upstream: _, ...call } = aCall({})
  const ask = async (signal = call.signal) =>
    old.request('tools/call', {}, { ...call, signal, agent: 'ada' })
  const gone = new Canceller()
  const [waiting, abandoned] = [ask(), ask(gone)]
  await old.list()
  const closing = old.close(fresh)
  expect(await ask()).toEqual({ from: 'successor' })
  expect(events).toEqual([])
  answered.resolve({ from: 'old' })
  expect(await waiting).toEqual({ from: 'old' })
  await closing
  expect(events).toEqual(['closed'])
  await abandoned
})

it('a removed server of this process does not wait for calls that were given up, and refuses calls once it is removed', async () => {
  const never = new Promise<JsonObject>(() => undefined)
  const old = opened({ handle: async (method) => (method === 'tools/list' ? {} : never) })
  const { upstream: _, ...call } = aCall({})
  await old.list()
  const gone = new Canceller()
  void old.request('tools/call', {}, { ...call, signal: gone, agent: 'ada' })
  await new Promise(setImmediate)
  const closing = old.close()
  await expect(old.request('tools/call', {}, { ...call, agent: 'ada' })).rejects.toThrow('removed')
  gone.abort()
  await closing
})

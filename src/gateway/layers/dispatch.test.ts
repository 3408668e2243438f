import { describe, expect, it } from 'vitest'
import { aCall, aClient, anUpstream } from '../../../test/support/a-call.ts'
import type { JsonObject } from '../../base/json/json.ts'
import { dispatch } from './dispatch.ts'

const tool = { server: 'echo', name: 'real', definition: {}, readOnly: false }

/** A modern server that asks for roots once before it answers. */
function asking() {
  const sent: JsonObject[] = []
  const upstream = anUpstream({
    request: async (_, params) => {
      sent.push(params)
      if (params['inputResponses'] !== undefined) return { done: params['inputResponses'] }
      const inputRequests = { where: { method: 'roots/list', params: {} } }
      return { resultType: 'input_required', inputRequests, requestState: 's1' }
    },
  })
  return { sent, upstream }
}

describe('dispatch', () => {
  it('calls the tool under its own name and hands on what came', async () => {
    const result = { content: [] }
    const seen: unknown[] = []
    const upstream = anUpstream({
      request: async (method, params, { agent }) => {
        seen.push([method, params, agent])
        return result
      },
    })
    const params = { name: 'echo__real', arguments: { a: 1 }, unknown: true }
    expect(await dispatch()(aCall({ upstream, tool, params }))).toBe(result)
    expect(seen).toEqual([
      ['tools/call', { name: 'real', arguments: { a: 1 }, unknown: true }, 'ada'],
    ])
  })

  it('puts the questions of a modern server to a client of the old era', async () => {
    const { sent, upstream } = asking()
    const client = aClient({
      era: 'legacy',
      capabilities: { roots: {} },
      request: async () => ({ roots: [] }),
    })
    const params = { name: 'real', arguments: { a: 1 } }
    const result = await dispatch()(aCall({ upstream, client, params }))
    expect(result).toEqual({ done: { where: { roots: [] } } })
    expect(sent[1]).toMatchObject({ ...params, requestState: 's1' })
  })

  it('leaves the questions to a modern client itself', async () => {
    const { upstream } = asking()
    expect(await dispatch()(aCall({ upstream }))).toMatchObject({ resultType: 'input_required' })
  })

  it('stops asking a server that never has enough', async () => {
    let rounds = 0
    const upstream = anUpstream({
      request: async () => {
        rounds += 1
        return { resultType: 'input_required', inputRequests: {} }
      },
    })
    const result = await dispatch()(aCall({ upstream, client: aClient({ era: 'legacy' }) }))
    expect(result).toMatchObject({ resultType: 'input_required' })
    expect(rounds).toBeLessThan(20)
  })
})

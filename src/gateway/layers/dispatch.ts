import { MAX_ROUNDS, answersTo, needsInput } from '../questions/ask-client.ts'
import type { Authorized, CallResult } from '../call.ts'
import type { Handler } from '../pipeline.ts'
import { ERAS } from '../../protocol/eras/eras.ts'

/** Sends the call, and puts a question that is its answer to a client that is asked in its session. */
export function dispatch(): Handler<Authorized, CallResult> {
  return async (call) => {
    const { upstream, tool, method, signal, client, agent, place } = call
    const context = { signal, client, agent: agent.id, place, call }
    const renamed = method === 'tools/call' && tool && call.params['name'] !== tool.name
    const params = renamed ? { ...call.params, name: tool.name } : call.params
    let result = await upstream.request(method, params, context)
    if (!ERAS[client.era].hasSession) return result
    for (let round = 0; needsInput(result) && round < MAX_ROUNDS; round += 1)
      result = await upstream.request(
        method,
        { ...params, ...(await answersTo(result, call)) },
        context,
      )
    return result
  }
}

import { MAX_ROUNDS, answersTo, needsInput } from '../questions/ask-client.ts'
import type { JsonObject } from '../../base/json/json.ts'
import type { Authorized, CallResult } from '../call.ts'
import type { Handler } from '../pipeline.ts'
import { ERAS } from '../../protocol/eras/eras.ts'

/** Sends the call, and puts a question that is its answer to a client that is asked in its session. */
export function dispatch(): Handler<Authorized, CallResult> {
  // Not `async`, because every call passes here.
  return (call) => {
    const { upstream, tool, method, signal, client, agent, place } = call
    const context = { signal, client, agent: agent.id, place, call }
    const renamed = method === 'tools/call' && tool && call.params['name'] !== tool.name
    const params = renamed ? { ...call.params, name: tool.name } : call.params
    const sent = upstream.request(method, params, context)
    if (!ERAS[client.era].hasSession) return sent
    return answerQuestions(call, sent, (answers) =>
      upstream.request(method, { ...params, ...answers }, context),
    )
  }
}

async function answerQuestions(
  call: Authorized,
  sent: Promise<CallResult>,
  repeat: (answers: JsonObject) => Promise<CallResult>,
): Promise<CallResult> {
  let result = await sent
  for (let round = 0; needsInput(result) && round < MAX_ROUNDS; round += 1)
    result = await repeat(await answersTo(result, call))
  return result
}

import { isObject } from '../base/json.ts'
import type { Request } from '../gateway/request.ts'

/** The request as that of the agent its `agent_id` argument names; whatever that is, it is checked later. */
export function withAgentArgument(request: Request): Request {
  const { arguments: values } = request.params
  const named = isObject(values) ? values['agent_id'] : undefined
  if (named === undefined || named === null || named === '') return request
  const agentArgument = typeof named === 'string' ? named : JSON.stringify(named)
  return { ...request, caller: { ...request.caller, agentArgument } }
}

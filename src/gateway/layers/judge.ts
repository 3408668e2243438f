import { toDoubles } from '../../base/json/exact-json.ts'
import { isObject } from '../../base/json/json.ts'
import { denial } from '../agents/decision.ts'
import type { Policy } from '../agents/policy.ts'
import type { Authorized } from '../call.ts'
import { conditionsReady } from '../conditions/condition.ts'
import { denied } from './authorize.ts'

/** Whether rules about this call have conditions on its arguments. */
export function isConditional({ grant, method }: Authorized): boolean {
  return grant.depends === true && method === 'tools/call'
}

/** Decides again, by the arguments that will be sent; throws if the rules do not allow them. */
export async function judge(policy: Policy, call: Authorized, args: unknown): Promise<void> {
  const { agent, tool, upstream } = call
  if (!tool) return
  await conditionsReady()
  const { name: server } = upstream
  const decision = isObject(args)
    ? policy.tool(agent, server, tool.name, toDoubles(args))
    : denial('arguments_not_allowed', call.grant.rule, {
        agent: agent.id,
        server,
        tool: tool.name,
        unsure: 'the arguments are no object',
      })
  if (decision.effect === 'deny') throw denied(decision, call)
  Object.assign(call, { grant: decision.grant })
  call.event.rule = decision.grant.rule
}

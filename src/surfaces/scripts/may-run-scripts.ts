import type { Identified } from '../../gateway/call.ts'
import { GatewayError } from '../../gateway/errors.ts'
import type { Grant } from '../../gateway/agents/decision.ts'
import type { World } from '../world.ts'

/** Whether an agent is shown `run_script`. */
export function mayRunScripts(
  agent: Identified['agent'],
  { policy }: Pick<World, 'policy'>,
): boolean {
  return policy.scripts(agent).effect === 'allow'
}

/** Returns the grant for scripts, or throws an error that names the deciding rule. */
export function grantFor({ agent, event }: Identified, { policy }: World): Grant {
  const decision = policy.scripts(agent)
  if (decision.effect === 'allow') {
    event.rule = decision.grant.rule
    return decision.grant
  }
  const { message, rule, reason } = decision
  throw new GatewayError('DENIED_BY_POLICY', message, {
    rule,
    reason,
    hint: 'Call the tools one by one with execute_tool.',
  })
}

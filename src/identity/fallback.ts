import type { Agent } from '../gateway/call.ts'
import { GatewayError } from '../gateway/errors.ts'
import type { Rules } from '../gateway/agents/policy.ts'

const HINT = 'Pass agent_id, or send a key as Authorization: Bearer.'

/** The agent of a call that names none: configured, then `default`, never one without rules. */
export function fallbackAgent(rules: Rules | undefined, configured: string | undefined): Agent {
  if (rules === undefined) return { id: configured ?? 'default', proof: 'fallback' }
  if (rules.denyOnMissingAgent) {
    throw new GatewayError(
      'INVALID_AGENT_ID',
      "Missing required parameter 'agent_id'. All tool calls must include agent identity.",
      { hint: HINT, rule: 'defaults.deny_on_missing_agent' },
    )
  }
  const knows = (id: string) => Object.hasOwn(rules.agents, id)
  if (configured !== undefined) {
    if (knows(configured)) return { id: configured, proof: 'fallback' }
    throw new GatewayError(
      'FALLBACK_AGENT_NOT_IN_RULES',
      `Missing 'agent_id' parameter and fallback agent '${configured}' is not configured in gateway rules. ` +
        'Add it to the rules file, or change GATEWAY_DEFAULT_AGENT.',
      { hint: HINT },
    )
  }
  if (knows('default')) return { id: 'default', proof: 'fallback' }
  throw new GatewayError(
    'NO_FALLBACK_CONFIGURED',
    "Missing 'agent_id' parameter and no fallback agent configured. " +
      "Set GATEWAY_DEFAULT_AGENT, or add an agent named 'default' to the rules file.",
    { hint: HINT },
  )
}

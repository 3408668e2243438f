import type { Identified } from '../../../gateway/call.ts'
import type { Script } from '../../../sandbox/run.ts'
import { type World, permittedServers, permittedTools } from '../../world.ts'
import { ScriptHost } from '../host/script-host.ts'

/**
 * Asks about the calls that a script will make and that need approval, all at once, as far as a plan
 * of it shows them. Calls that depend on the results of others are asked about when they come.
 */
export async function approveWrites(
  script: Script,
  call: Identified,
  world: World,
  path: readonly string[] = [],
): Promise<void> {
  const { scripts: runner, gateway } = world
  if (!mayNeedApproval(call, world)) return
  // A plan must not ask its person anything.
  const quiet = { ...call, client: { ...call.client, capabilities: {} } }
  const options = { plan: true, parallel: runner.limits.parallel, path }
  const host = new ScriptHost(quiet, world, options)
  await runner.run(script, host, call.signal)
  const { needsApproval } = host.trail
  if (needsApproval.length > 1) await gateway.approvePlan(needsApproval, call)
}

function mayNeedApproval({ agent }: Identified, world: World): boolean {
  return permittedServers(world, agent).some((upstream) =>
    permittedTools(world, agent, upstream).some(({ name }) => {
      const decision = world.policy.tool(agent, upstream.name, name)
      return decision.effect === 'allow' && decision.grant.ask !== undefined
    }),
  )
}

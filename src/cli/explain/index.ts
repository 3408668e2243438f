import type { Command } from '@commander-js/extra-typings'
import { GatewayError } from '../../gateway/errors.ts'
import type { Decision, Policy, Principal } from '../../gateway/agents/policy.ts'
import { toLoadOptions, withConfigOptions } from '../shared/config-options.ts'
import { splitNames } from '../shared/identity-stores.ts'
import { withStoredConfig } from '../shared/with-database.ts'
import { printJson } from '../shared/terminal/print-json.ts'

export function registerExplain(program: Command): void {
  withConfigOptions(program.command('explain'))
    .description(
      'explain whether an agent may use a server or a tool, or run scripts, and which rule decides',
    )
    .argument('<agent>')
    .argument('[server]')
    .argument('[tool]')
    .option('--scripts', 'explain whether the agent may run scripts')
    .option('--user <name>', 'the person who has signed in; by default the agent')
    .option('--groups <names>', 'the groups of that person, separated by commas', splitNames)
    .option('--json', 'print the answer as JSON')
    .action(async (agent, server, tool, options) => {
      if ((server === undefined) !== (options.scripts === true))
        throw new GatewayError('INVALID_PARAMS', 'Name a server, or ask for --scripts instead')
      const [
        { loadConfig },
        { explainAccess, notesOnNames },
        { createPolicy },
        { describeLeftOut },
      ] = await Promise.all([
        import('../../config/load.ts'),
        import('../../config/rules/explain-access.ts'),
        import('../../gateway/agents/policy.ts'),
        import('../../config/trust/untrusted.ts'),
      ])
      const config = loadConfig(await withStoredConfig(toLoadOptions(options)))
      const policy = createPolicy(config.rules, {
        denials: config.denials,
        also: config.changedRules,
        scripts: config.settings.scripts.enabled,
      })
      const { user, groups } = options
      const person = (user ?? groups) ? { user: user ?? agent, groups: groups ?? [] } : undefined
      const decision = decide(policy, { id: agent, person }, server, tool)
      const asked = {
        agent,
        ...person,
        ...(server !== undefined && { server }),
        ...(tool !== undefined && { tool }),
      }
      const { effect, rule, reason, message } = explainAccess(asked, decision)
      const notes = [...notesOnNames(asked, config), ...config.leftOut.map(describeLeftOut)]
      const answer = {
        ...asked,
        decision: effect,
        rule,
        ...(reason && { reason }),
        message,
        notes,
      }
      if (options.json) return printJson(answer)
      process.stdout.write(`${effect}: ${message}\nrule: ${rule}\n`)
      for (const note of notes) process.stderr.write(`note: ${note}\n`)
    })
}

function decide(
  policy: Policy,
  who: Principal,
  server: string | undefined,
  tool: string | undefined,
): Decision {
  if (server === undefined) return policy.scripts(who)
  return tool === undefined ? policy.server(who, server) : policy.tool(who, server, tool)
}

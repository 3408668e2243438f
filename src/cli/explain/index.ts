import type { Command } from '@commander-js/extra-typings'
import { toDoubles } from '../../base/json/exact-json.ts'
import type { JsonObject } from '../../base/json/json.ts'
import type { Config } from '../../config/load.ts'
import { GatewayError } from '../../gateway/errors.ts'
import type { Policy, Principal } from '../../gateway/agents/policy.ts'
import type { Decision } from '../../gateway/agents/decision.ts'
import { type ConfigOptions, toLoadOptions, withConfigOptions } from '../shared/config-options.ts'
import { parseToolRef } from '../../gateway/tools/tool-ref.ts'
import { toArguments } from '../shared/ask/to-arguments.ts'
import { splitNames } from '../shared/identity-stores.ts'
import { withStoredConfig } from '../shared/with-database.ts'
import { printJson } from '../shared/terminal/print-json.ts'

export function registerExplain(program: Command): void {
  withConfigOptions(program.command('explain'))
    .description(
      'explain whether an agent may use a server or a tool, or run scripts, and which rule decides',
    )
    .argument('<agent>')
    .argument('[server]', 'the server, or server.tool')
    .argument('[tool]')
    .argument('[arguments...]', 'arguments for conditions: a JSON object, or name=value pairs')
    .option('--scripts', 'explain whether the agent may run scripts')
    .option('--user <name>', 'the person who has signed in; by default the agent')
    .option('--groups <names>', 'the groups of that person, separated by commas', splitNames)
    .option('--json', 'print the answer as JSON')
    .action(async (agent, ...[firstName, secondName, more, options]) => {
      if ((firstName === undefined) !== (options.scripts === true))
        throw new GatewayError('INVALID_PARAMS', 'Name a server, or ask for --scripts instead')
      const [
        { loadConfig },
        { explainAccess, notesOnNames },
        { createPolicy },
        { describeLeftOut },
        { conditionsReady },
      ] = await Promise.all([
        import('../../config/load.ts'),
        import('../../config/rules/explain-access.ts'),
        import('../../gateway/agents/policy.ts'),
        import('../../config/trust/untrusted.ts'),
        import('../../gateway/conditions/condition.ts'),
      ])
      const config = loadConfig(await withStoredConfig(toLoadOptions(options)))
      const policy = createPolicy(config.rules, {
        denials: config.denials,
        also: config.changedRules,
        scripts: config.settings.scripts.enabled,
      })
      const words = [firstName, secondName, ...more].filter((word) => word !== undefined)
      const { server, tool, args } = toTarget(words, config.servers.keys())
      await conditionsReady()
      const who = await whoIsAsked(agent, config, options)
      const decision = decide(policy, who, { server, tool, args })
      const asked = {
        agent,
        ...who.person,
        ...(who.ancestors && { on_behalf_of: who.ancestors }),
        ...(server !== undefined && { server }),
        ...(tool !== undefined && { tool }),
        ...(args && { arguments: args }),
      }
      const { effect, rule, reason, message } = explainAccess(asked, decision)
      const notes = [
        ...notesOnNames({ ...asked, who }, config),
        ...(!args && isOpen(decision) ? [OPEN] : []),
        ...config.leftOut.map(describeLeftOut),
      ]
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

const OPEN =
  'rules have conditions on the arguments of this tool: add them, as name=value pairs, to see what these decide'

function isOpen(decision: Decision): boolean {
  return decision.effect === 'allow' && decision.grant.depends === true
}

interface Named extends ConfigOptions {
  readonly user?: string
  readonly groups?: readonly string[]
}

/** The person that the options describe, or else whoever has this name. */
async function whoIsAsked(agent: string, config: Config, options: Named): Promise<Principal> {
  const { user, groups } = options
  if (user !== undefined || groups !== undefined)
    return { id: agent, person: { user: user ?? agent, groups: groups ?? [] } }
  const [{ whoIs }, { knownNames }] = await Promise.all([
    import('../../identity/who-is.ts'),
    import('../shared/known-names.ts'),
  ])
  return whoIs(agent, await knownNames(config, options))
}

interface Target {
  readonly server: string | undefined
  readonly tool?: string | undefined
  readonly args?: JsonObject | undefined
}

/** Reads `db query sql=…` and `db.query sql=…`. */
function toTarget([first = '', ...rest]: readonly string[], servers: Iterable<string>): Target {
  const names = [...servers]
  const [ref] = names.includes(first) ? [] : parseToolRef(first, names)
  if (ref) return { server: ref.server, tool: ref.name, args: toArgs(rest) }
  const [tool, ...given] = rest
  if (tool !== undefined && /^\s*\{|=/.test(tool))
    throw new GatewayError('INVALID_PARAMS', 'Arguments belong to a tool', {
      hint: 'Name it before them: portolan explain <agent> <server> <tool> name=value',
    })
  return { server: first === '' ? undefined : first, tool, args: toArgs(given) }
}

function toArgs(given: readonly string[]): JsonObject | undefined {
  return given.length === 0 ? undefined : toDoubles(toArguments(given))
}

function decide(policy: Policy, who: Principal, { server, tool, args }: Target): Decision {
  if (server === undefined) return policy.scripts(who)
  return tool === undefined ? policy.server(who, server) : policy.tool(who, server, tool, args)
}

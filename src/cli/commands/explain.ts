import type { Command } from 'commander'
import type { Config } from '../../config/load.ts'
import type { Decision } from '../../gateway/policy.ts'
import { type ConfigOptions, toLoadOptions, withConfigOptions } from '../config-options.ts'

interface Question {
  readonly agent: string
  readonly server: string
  readonly tool?: string | undefined
}

export function registerExplain(program: Command): void {
  withConfigOptions(program.command('explain'))
    .description('say whether an agent may use a server or a tool, and which rule decides')
    .argument('<agent>')
    .argument('<server>')
    .argument('[tool]')
    .option('--json', 'print the answer as JSON')
    .action(
      async (
        agent: string,
        server: string,
        tool: string | undefined,
        options: ConfigOptions & { json?: true },
      ) => {
        const [{ loadConfig }, { createPolicy }] = await Promise.all([
          import('../../config/load.ts'),
          import('../../gateway/policy.ts'),
        ])
        const config = loadConfig(toLoadOptions(options))
        const policy = createPolicy(config.rules)
        const decision =
          tool === undefined
            ? policy.server({ id: agent }, server)
            : policy.tool({ id: agent }, server, tool)
        const answer = toAnswer({ agent, server, tool }, decision)
        const notes = await notesOn({ agent, server }, config)
        process.stdout.write(
          options.json
            ? `${JSON.stringify({ ...answer, notes }, null, 2)}\n`
            : `${answer.decision}: ${answer.message}\nrule: ${answer.rule}\n`,
        )
        if (!options.json) for (const note of notes) process.stderr.write(`note: ${note}\n`)
      },
    )
}

function toAnswer({ agent, server, tool }: Question, decision: Decision) {
  const asked = { agent, server, ...(tool !== undefined && { tool }) }
  if (decision.effect === 'deny') {
    const { rule, reason, message } = decision
    return { ...asked, decision: 'deny', rule, reason, message }
  }
  const message =
    tool === undefined
      ? `Agent '${agent}' can access server '${server}'`
      : `Agent '${agent}' is authorized to call tool '${tool}' on server '${server}'`
  return { ...asked, decision: 'allow', rule: decision.grant.rule, message }
}

/** What else the reader should know: names nobody defined are most often misspelt. */
async function notesOn({ agent, server }: Question, config: Config): Promise<string[]> {
  const { didYouMean } = await import('../../config/nearest.ts')
  const notes: string[] = []
  const add = (text: string, name: string, known: Iterable<string>) => {
    const hint = didYouMean(name, known)
    notes.push(hint === undefined ? text : `${text}, ${hint}`)
  }
  const agents = config.rules?.agents
  if (agents && !Object.hasOwn(agents, agent)) {
    add(`agent "${agent}" is not in ${config.paths.rules}`, agent, Object.keys(agents))
  }
  if (!config.servers.has(server)) {
    add(
      `server "${server}" is not in ${config.paths.mcp ?? 'any .mcp.json'}`,
      server,
      config.servers.keys(),
    )
  }
  return notes
}

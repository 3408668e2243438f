import type { Command } from 'commander'
import { type ConfigOptions, toLoadOptions, withConfigOptions } from '../shared/config-options.ts'
import { withStoredConfig } from '../shared/with-database.ts'

export function registerExplain(program: Command): void {
  withConfigOptions(program.command('explain'))
    .description('say whether an agent may use a server or a tool, and which rule decides')
    .argument('<agent>')
    .argument('<server>')
    .argument('[tool]')
    .option('--user <name>', 'the person who has signed in; the agent when not given')
    .option('--groups <names>', 'the groups of that person, with commas between', splitNames)
    .option('--json', 'print the answer as JSON')
    .action(
      async (
        agent: string,
        server: string,
        tool: string | undefined,
        options: ConfigOptions & { json?: true; user?: string; groups?: string[] },
      ) => {
        const [
          { loadConfig },
          { explainAccess, notesOnNames },
          { createPolicy },
          { describeLeftOut },
        ] = await Promise.all([
          import('../../config/load.ts'),
          import('../../config/rules/explain-access.ts'),
          import('../../gateway/policy.ts'),
          import('../../config/trust/untrusted.ts'),
        ])
        const config = loadConfig(await withStoredConfig(toLoadOptions(options)))
        const policy = createPolicy(config.rules, { denials: config.denials })
        const { user, groups } = options
        const person = (user ?? groups) ? { user: user ?? agent, groups: groups ?? [] } : undefined
        const who = { id: agent, person }
        const decision =
          tool === undefined ? policy.server(who, server) : policy.tool(who, server, tool)
        const asked = { agent, ...person, server, ...(tool !== undefined && { tool }) }
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
        process.stdout.write(
          options.json
            ? `${JSON.stringify(answer, null, 2)}\n`
            : `${effect}: ${message}\nrule: ${rule}\n`,
        )
        if (!options.json) for (const note of notes) process.stderr.write(`note: ${note}\n`)
      },
    )
}

function splitNames(text: string): string[] {
  return text.split(',').map((name) => name.trim())
}

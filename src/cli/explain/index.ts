import type { Command } from 'commander'
import { type ConfigOptions, toLoadOptions, withConfigOptions } from '../shared/config-options.ts'
import { withStoredConfig } from '../shared/with-database.ts'

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
        const decision =
          tool === undefined
            ? policy.server({ id: agent }, server)
            : policy.tool({ id: agent }, server, tool)
        const asked = { agent, server, ...(tool !== undefined && { tool }) }
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

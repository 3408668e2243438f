import type { Command } from '@commander-js/extra-typings'
import { toRange, withRangeOptions } from '../shared/audit/range-options.ts'

/** Registers `portolan toolsets`: named choices of tools, and what agents really use. */
export function registerToolsets(program: Command): void {
  const toolsets = program.command('toolsets').description('list and suggest toolsets')
  toolsets
    .command('list', { isDefault: true })
    .description('list the toolsets, with their tools as last listed')
    .option('--config <path>', 'settings file, instead of the portolan.yaml that is found')
    .option('--json', 'print them as JSON on stdout')
    .action(async (flags) => (await import('./run-toolsets.ts')).listToolsets(flags))
  withRangeOptions(toolsets.command('suggest'))
    .description('print a toolset of the tools that an agent really used, for portolan.yaml')
    .option('--agent <id>', 'only what this agent used; by default what all did')
    .option('--name <name>', 'what to call it; by default the agent, or "used"')
    .option('--config <path>', 'settings file, instead of the portolan.yaml that is found')
    .action(async (flags) => (await import('./run-toolsets.ts')).suggest(flags, toRange(flags)))
}

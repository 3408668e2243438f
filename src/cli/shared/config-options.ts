import type { Command, OptionValues } from '@commander-js/extra-typings'
import type { LoadOptions } from '../../config/load.ts'

export interface ConfigOptions {
  readonly mcp?: string
  readonly rules?: string
  readonly config?: string
}

/** Adds the options of every command that reads the configuration. */
export function withConfigOptions<Args extends unknown[], Options extends OptionValues>(
  command: Command<Args, Options>,
) {
  return command
    .option('--mcp <path>', 'servers file, instead of the .mcp.json that is found')
    .option('--rules <path>', 'rules file, instead of the .mcp-gateway-rules.json that is found')
    .option('--config <path>', 'settings file, instead of the portolan.yaml that is found')
}

export function toLoadOptions({ mcp, rules, config }: ConfigOptions): LoadOptions {
  return { flags: { mcp, rules, settings: config } }
}

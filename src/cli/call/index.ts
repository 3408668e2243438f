import type { Command } from '@commander-js/extra-typings'
import { type JsonObject, isObject } from '../../base/json/json.ts'
import { stringifyExact } from '../../base/json/exact-json.ts'
import { ask } from '../shared/ask/ask.ts'
import { resultText } from '../shared/ask/result-text.ts'
import { toArguments } from '../shared/ask/to-arguments.ts'
import { withConfigOptions } from '../shared/config-options.ts'

/** Registers `portolan call`, which calls a tool under the rules, budgets and audit of an agent. */
export function registerCall(program: Command): void {
  withConfigOptions(program.command('call'))
    .description('call a tool as an agent would: find_tools, execute_tool, or server__tool')
    .argument('<tool>', 'name of the tool; `tools/list` shows what the agent sees')
    .argument('[arguments...]', 'a JSON object, or name=value pairs')
    .option('--agent <id>', 'the agent to call as (PORTOLAN_KEY authenticates it)')
    .option('--client <name>', 'call as this client does without a key, such as claude-code')
    .option(
      '--url <address>',
      'the MCP endpoint of a gateway anywhere, instead of one of these files',
    )
    .option(
      '--key <key>',
      'the key of the agent; others see it in the list of processes, PORTOLAN_KEY not',
    )
    .option('--json', 'print the whole result as JSON')
    .option('--own', 'start a gateway for this call, even if one is running')
    .action(async (tool, given, flags) => {
      const result = await ask(
        {
          ...(tool === 'tools/list'
            ? { method: tool, params: {} }
            : { method: 'tools/call', params: { name: tool, arguments: toArguments(given) } }),
          agent: flags.agent,
          client: flags.client,
          key: flags.key ?? process.env['PORTOLAN_KEY'],
        },
        flags,
      )
      process.stdout.write(
        `${flags.json ? stringifyExact(result, undefined, 2) : toText(result)}\n`,
      )
      if (result['isError'] === true) process.exitCode = 1
    })
}

function toText(result: JsonObject): string {
  if (Array.isArray(result['tools']))
    return result['tools'].map((tool) => (isObject(tool) ? String(tool['name']) : '')).join('\n')
  return resultText(result)
}

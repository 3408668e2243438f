import { type Command, InvalidArgumentError } from 'commander'
import { type JsonObject, isObject } from '../../base/json.ts'
import { parseExact, stringifyExact } from '../../base/exact-json.ts'
import { type ConfigOptions, toLoadOptions, withConfigOptions } from '../shared/config-options.ts'
import type { Question } from './question.ts'

interface CallFlags extends ConfigOptions {
  readonly agent?: string
  readonly json?: true
  readonly own?: true
}

/** `portolan call`: calls a tool from a shell, with the rules, budgets and audit an agent gets. */
export function registerCall(program: Command): void {
  withConfigOptions(program.command('call'))
    .description('call a tool as an agent would: find_tools, execute_tool, or server__tool')
    .argument('<tool>', 'its name; `tools/list` shows what the agent sees')
    .argument('[arguments...]', 'a JSON object, or name=value pairs')
    .option('--agent <id>', 'the agent to call as (PORTOLAN_KEY authenticates it)')
    .option('--json', 'print the whole result as JSON')
    .option('--own', 'start a gateway for this call, even where one runs')
    .action(async (tool: string, given: string[], flags: CallFlags) => {
      const result = await ask(
        {
          ...(tool === 'tools/list'
            ? { method: tool, params: {} }
            : { method: 'tools/call', params: { name: tool, arguments: toArguments(given) } }),
          agent: flags.agent,
          key: process.env['PORTOLAN_KEY'],
        },
        flags,
      )
      process.stdout.write(
        `${flags.json ? stringifyExact(result, undefined, 2) : toText(result)}\n`,
      )
      if (result['isError'] === true) process.exitCode = 1
    })
}

/** The gateway that runs knows the state of its servers, and starts none twice. */
async function ask(question: Question, flags: CallFlags): Promise<JsonObject> {
  const load = toLoadOptions(flags)
  if (!flags.own) {
    const [{ loadConfig }, { askRunning }] = await Promise.all([
      import('../../config/load.ts'),
      import('./ask-gateway.ts'),
    ])
    const asked = await askRunning(loadConfig(load), question)
    if (asked) {
      process.stderr.write(`Answered by the gateway at ${asked.url}\n`)
      return asked.result
    }
  }
  const { askOwn } = await import('./ask-own.ts')
  const result = await askOwn(load, question)
  // The usual case: worth a word to a person, and noise in a script.
  if (process.stderr.isTTY)
    process.stderr.write('Answered by a gateway that was started for this call\n')
  return result
}

function toArguments(given: readonly string[]): JsonObject {
  const [only] = given
  if (given.length === 1 && only?.trimStart().startsWith('{')) {
    const value = parsed(only)
    if (isObject(value)) return value
    throw new InvalidArgumentError(
      `not a JSON object: ${only}. Write it like '{"name": "value"}', or pass name=value pairs`,
    )
  }
  return Object.fromEntries(
    given.map((pair) => {
      const at = pair.indexOf('=')
      if (at < 1) throw new InvalidArgumentError(`"${pair}" is not name=value`)
      const text = pair.slice(at + 1)
      return [pair.slice(0, at), parsed(text) ?? text]
    }),
  )
}

/** JSON values are parsed; anything else is a string. */
function parsed(text: string): unknown {
  try {
    return parseExact(text)
  } catch {
    return undefined
  }
}

function toText(result: JsonObject): string {
  if (Array.isArray(result['tools']))
    return result['tools'].map((tool) => (isObject(tool) ? String(tool['name']) : '')).join('\n')
  const content = Array.isArray(result['content']) ? result['content'] : []
  return content
    .map((block: unknown) =>
      isObject(block) && typeof block['text'] === 'string' ? block['text'] : stringifyExact(block),
    )
    .join('\n')
}

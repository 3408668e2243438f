import { readFile } from 'node:fs/promises'
import { text } from 'node:stream/consumers'
import type { Command } from '@commander-js/extra-typings'
import { InvalidArgumentError } from 'commander'
import { parseExact, stringifyExact } from '../../base/json/exact-json.ts'
import { type JsonObject, isObject } from '../../base/json/json.ts'
import { metaOf } from '../../protocol/versions.ts'
import { RUN_META } from '../../gateway/script-run.ts'
import { ask } from '../shared/ask/ask.ts'
import { resultText } from '../shared/ask/result-text.ts'
import { withConfigOptions } from '../shared/config-options.ts'
import { parseDuration } from '../shared/terminal/option-values.ts'
import { createPaint } from '../shared/terminal/paint.ts'
import { readReport, renderRun } from './render-run.ts'

/** A person gets the whole result, unless the agent's rules limit it. */
const ALL_TOKENS = 1_000_000_000

/** `portolan run`: runs a script from a shell, as an agent that may run scripts would. */
export function registerRun(program: Command): void {
  withConfigOptions(program.command('run'))
    .description('run a script over all tools, as run_script does')
    .argument('[file]', 'JavaScript or TypeScript; by default, or for -, standard input')
    .option('--agent <id>', 'the agent to run it as (PORTOLAN_KEY authenticates it)')
    .option('--input <json>', 'the value of `input` in the script', parseInput)
    .option('--plan', 'make only calls that read, and list those that would write')
    .option(
      '--timeout <duration>',
      'how long it may take at most, such as 90s or 5m',
      parseDuration,
    )
    .option('--calls', 'show its calls on stderr, as on a terminal')
    .option('--json', 'print the result, what was planned and logged, and all calls as JSON')
    .option('--own', 'start a gateway for this script, even if one is running')
    .action(async (file = '-', { agent, input, plan, timeout, ...flags }) => {
      const code = file === '-' ? await text(process.stdin) : await readFile(file, 'utf8')
      const given = {
        code,
        max_tokens: ALL_TOKENS,
        ...(input !== undefined && { input }),
        ...(plan && { plan }),
        ...(timeout !== undefined && { timeout_ms: Math.ceil(timeout) }),
      }
      const params = { name: 'run_script', arguments: given, _meta: { [RUN_META]: true } }
      const key = process.env['PORTOLAN_KEY']
      const result = await ask({ method: 'tools/call', params, agent, key }, flags)
      if (result['isError'] === true) process.exitCode = 1
      const { structuredContent } = result
      const answer = isObject(structuredContent) ? structuredContent : {}
      const run = metaOf(result)[RUN_META]
      if (flags.json) write({ ...answer, ...(run !== undefined && { run }) })
      else show({ result, answer, run, file: file === '-' ? 'stdin' : file }, flags.calls ?? false)
    })
}

interface Ended {
  readonly file: string
  readonly result: JsonObject
  /** The structured content of the result. */
  readonly answer: JsonObject
  readonly run: unknown
}

/** Writes only the result to stdout, and everything else to stderr. */
function show({ file, result, answer, run }: Ended, hasCalls: boolean): void {
  const report = readReport(run)
  const calls =
    report && (hasCalls || process.stderr.isTTY)
      ? [renderRun(report, createPaint(process.stderr))]
      : []
  const failed = result['isError'] === true
  const beside = failed
    ? (denialOf(answer) ?? [...placeOf(file, answer), resultText(result)])
    : notes(answer)
  for (const line of [...calls, ...beside]) process.stderr.write(`${line}\n`)
  if (failed) return
  // If the agent's budget cut the result, only its text is left.
  const { result: value, planned } = answer
  if (value === undefined) process.stdout.write(`${resultText(result)}\n`)
  else write(planned === undefined ? value : { result: value, planned })
}

/** Writes a string as it is, and any other value as JSON. */
function write(value: unknown): void {
  const shown = typeof value === 'string' ? value : stringifyExact(value, undefined, 2)
  process.stdout.write(`${shown}\n`)
}

function parseInput(given: string): unknown {
  try {
    return parseExact(given)
  } catch {
    throw new InvalidArgumentError(`not JSON: ${given}. Write it like '{"month": 3}'`)
  }
}

/** Says why the agent may not run scripts, and how its owner allows it: its own hint is for agents. */
function denialOf({ error }: JsonObject): string[] | undefined {
  if (!isObject(error) || error['code'] !== 'DENIED_BY_POLICY') return undefined
  return [
    String(error['message']),
    `rule: ${String(error['rule'])}`,
    'To allow it, give this agent "allow": { "scripts": true } in .mcp-gateway-rules.json. Without a rules file, set scripts.enabled: true in portolan.yaml.',
  ]
}

/** Returns `file:line:column`, which terminals and editors can open. */
function placeOf(file: string, { error }: JsonObject): string[] {
  if (!isObject(error) || typeof error['line'] !== 'number') return []
  return [[file, error['line'], error['column']].join(':')]
}

/** Returns the logs and the note on unfinished calls, for stderr. */
function notes({ logs, unfinished, note }: JsonObject): string[] {
  const lines = Array.isArray(logs) ? logs.map((line) => `log: ${String(line)}`) : []
  if (!Array.isArray(unfinished)) return lines
  return [...lines, `${String(note)} ${unfinished.join(', ')}`]
}

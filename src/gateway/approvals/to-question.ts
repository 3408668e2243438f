import { stringifyExact } from '../../base/json/exact-json.ts'
import { isObject, parseObject } from '../../base/json/json.ts'
import { hide } from '../../base/secrets/secrets.ts'
import { personOf } from '../agents/on-behalf-of.ts'
import { lineageOf } from '../agents/policy.ts'
import type { Authorized, Client } from '../call.ts'
import { withDefaults } from '../validation/align-schema.ts'
import { shownName } from '../tools/tool-ref.ts'
import { shapeOf, withoutKeys } from '../validation/shape-arguments.ts'
import { type Exception, type PlannedCall, type Question, bondOf } from './approval.ts'
import type { Asker } from './ask-person.ts'

/** Returns what a person is shown of a call. */
export async function toQuestion(call: Authorized): Promise<Question> {
  const { upstream, tool, grant, params } = call
  const { name, uri } = params
  const shown = argumentsOf(call)
  return {
    ...(await whoAsks(call)),
    server: upstream.name,
    tool: tool?.name ?? String(name ?? uri),
    ...(tool && shownName(tool) !== tool.name && { shownAs: shownName(tool) }),
    arguments: shown,
    rule: grant.ask?.rule ?? '',
    exception: exceptionFor(call, shown),
  }
}

const MAX_EXCEPTION = 8_000

/** Returns what could be left out of the questions of a rule: arguments that are whole in a file. */
function exceptionFor(call: Authorized, shown: string): Exception | undefined {
  const { tool, grant, params, event } = call
  const { arguments: args } = params
  if (!tool || !grant.ask?.rule.includes('.ask.tools.') || !isObject(args)) return undefined
  // The entry has a condition then, which is judged with the defaults of the tool.
  const schema = shapeOf(call)?.schema ?? tool.definition['inputSchema']
  const whole = stringifyExact(isObject(schema) ? withDefaults(schema, args) : args)
  const isExact = JSON.stringify(JSON.parse(whole)) === whole && stringifyExact(args) === shown
  return isExact && whole.length <= MAX_EXCEPTION
    ? { source: grant.ask.source, arguments: whole, folder: event.folder }
    : undefined
}

function nameOf({ info }: Client): string | undefined {
  return typeof info?.['name'] === 'string' ? info['name'] : undefined
}

/** Returns what a person is shown of the calls that a script plans. */
export async function toPlanQuestion(
  planned: readonly PlannedCall[],
  call: Asker,
): Promise<Question> {
  return {
    ...(await whoAsks(call)),
    server: list(planned.map(({ server }) => server)),
    tool: `a script with ${planned.length} calls`,
    arguments: stringifyExact(
      planned.map(({ server, tool, arguments: json }) => ({
        call: `${server}.${tool}`,
        arguments: parseObject(json) ?? json,
      })),
    ),
    rule: list(planned.map(({ rule }) => rule)),
    covers: planned,
  }
}

const list = (values: readonly string[]) => [...new Set(values)].join(', ')

/** A call that a plan does not make, as it would be asked about. */
export function toPlannedCall(call: Authorized): PlannedCall {
  const { upstream, tool, grant } = call
  return {
    bond: bondOf(call),
    server: upstream.name,
    tool: tool?.name ?? '',
    arguments: argumentsOf(call),
    rule: grant.ask?.rule ?? '',
  }
}

/** Returns the arguments as people see them. */
function argumentsOf(call: Authorized): string {
  return hide(stringifyExact(withoutKeys(call, call.params['arguments'] ?? {})))
}

async function whoAsks({ agent, client, event }: Asker) {
  const project = await client.project().catch(() => undefined)
  return {
    agent: lineageOf(agent),
    person: personOf(agent),
    client: event.client ?? nameOf(client),
    ...(project && { folder: project.path }),
    key: agent.key,
  }
}

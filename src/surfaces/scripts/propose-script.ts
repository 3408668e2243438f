import { messageOf } from '../../base/errors.ts'
import { toDoubles } from '../../base/json/exact-json.ts'
import { isObject } from '../../base/json/json.ts'
import type { CallResult, Identified } from '../../gateway/call.ts'
import { GatewayError } from '../../gateway/errors.ts'
import { SCRIPTS_SERVER, type ScriptDraft, ScriptError } from '../../protocol/saved-scripts.ts'
import type { Arguments } from '../arguments.ts'
import { answerWith } from '../discover/meta-tool.ts'
import type { World } from '../world.ts'

/** Reads `save` before the script runs, so that a mistake there does not lose the answer. */
export function draftFrom(args: Arguments): Omit<ScriptDraft, 'source'> | undefined {
  if (args.any('save') === undefined) return undefined
  const { name, description, input_schema: schema = EMPTY, ...rest } = args.object('save')
  const [unknown] = Object.keys(rest)
  const inputSchema = toDoubles(schema)
  if (
    typeof name !== 'string' ||
    typeof description !== 'string' ||
    !isObject(inputSchema) ||
    unknown !== undefined
  )
    throw new GatewayError(
      'INVALID_PARAMS',
      'run_script: "save" needs a name and a description, and may have an input_schema',
      { hint: 'Pass {"name": "count_births", "description": "…", "input_schema": {…}}.' },
    )
  return { name, description, inputSchema }
}

const EMPTY = { type: 'object', properties: {} }

interface Proposing {
  readonly call: Pick<Identified, 'agent'>
  readonly world: Pick<World, 'savedScripts'>
}

/** Adds to the answer of a script that ended well what became of its proposal. */
export async function withProposal(
  answer: CallResult,
  draft: ScriptDraft,
  { call, world }: Proposing,
): Promise<CallResult> {
  const { structuredContent } = answer
  const saved = await propose(draft, { call, world })
  const value = { ...(isObject(structuredContent) && structuredContent), saved }
  return answerWith(value, value)
}

/** Never fails, as the calls of the script have been made, and its answer must not be lost. */
async function propose(draft: ScriptDraft, { call, world }: Proposing): Promise<string> {
  try {
    const scripts = await world.savedScripts()
    const { name, digest } = await scripts.propose(draft, call.agent.id)
    return `${SCRIPTS_SERVER}.${name} waits for a person to approve ${digest}`
  } catch (error) {
    if (error instanceof ScriptError) return `not saved: ${error.message}. ${error.hint}`
    return `not saved: ${messageOf(error)}. The script itself has run: a person can save it from its run on the dashboard.`
  }
}

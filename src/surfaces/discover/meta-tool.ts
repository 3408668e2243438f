import type { CallResult, Identified } from '../../gateway/call.ts'
import type { JsonObject } from '../../base/json/json.ts'
import { toLines } from '../../base/json/to-lines.ts'
import type { Arguments, Signature } from '../arguments.ts'
import type { World } from '../world.ts'

/** A tool of the gateway itself. Every agent pays for its definition at every start: be short. */
export interface MetaTool {
  readonly definition: JsonObject & Signature
  answer(args: Arguments, call: Identified, world: World): Promise<CallResult>
}

/**
 * For the tools that lead to all others: clients that hide tools behind a search of their own show
 * these to models at once. The key is Claude Code's.
 */
export const ALWAYS_LOADED = { 'anthropic/alwaysLoad': true }

/** In every schema: the calling agent, if no credential identifies it. */
const AGENT_ID = { type: 'string', description: 'Your agent id, if you were given one' }

export function inputSchema(
  properties: JsonObject,
  required: readonly string[] = [],
): JsonObject & Signature['inputSchema'] {
  return {
    type: 'object',
    properties: { ...properties, agent_id: AGENT_ID },
    ...(required.length > 0 && { required }),
  }
}

/** Requires `agent_id` of a caller that nothing else identifies: its call would be refused. */
export function requiringAgentId(definition: MetaTool['definition']): JsonObject {
  const { inputSchema: schema } = definition
  const required = [...(schema.required ?? []), 'agent_id']
  return { ...definition, inputSchema: { ...schema, required } }
}

/** Returns a value as text and structured content, with notes in both: clients show only one. */
export function answerWith(
  value: unknown,
  structured: JsonObject,
  notes: readonly string[] = [],
): CallResult {
  const content = [toLines(value), ...notes].map((text) => ({ type: 'text', text }))
  return { content, structuredContent: { ...structured, ...(notes.length > 0 && { notes }) } }
}

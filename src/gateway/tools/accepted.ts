import { z } from 'zod'
import { isObject } from '../../base/json/json.ts'

/** The lists whose definitions are accepted; `instructions` has at most one, without a name. */
export const ACCEPTED_LISTS = ['tools', 'prompts', 'resourceTemplates', 'instructions'] as const
export type AcceptedList = (typeof ACCEPTED_LISTS)[number]

export const definitionSchema = z.custom<Readonly<Record<string, unknown>>>(
  isObject,
  'is no object',
)

const accepted = z
  .object({
    digest: z.string().describe('What identifies the definition: sha256 of what agents read.'),
    definition: definitionSchema.describe('The definition as it was accepted.'),
  })
  .describe('A tool, prompt, resource template or instructions that somebody has accepted.')

const acceptedByName = z.record(z.string(), accepted).default({})

/** What was accepted of one server, by list and name. */
export const acceptedListsSchema = z.object({
  tools: acceptedByName,
  prompts: acceptedByName,
  resourceTemplates: acceptedByName,
  instructions: acceptedByName,
})

/** A definition that somebody has accepted. */
export type AcceptedDefinition = z.output<typeof accepted>
export type AcceptedLists = z.output<typeof acceptedListsSchema>

export const NOTHING_ACCEPTED: AcceptedLists = {
  tools: {},
  prompts: {},
  resourceTemplates: {},
  instructions: {},
}

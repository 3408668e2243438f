import { z } from 'zod'
import { isObject } from '../../base/json/json.ts'

export const LOCK_NAME = 'mcp.lock'

const definition = z.custom<Readonly<Record<string, unknown>>>(isObject, 'is no object')

const accepted = z
  .object({
    digest: z.string().describe('What identifies the definition: sha256 of what agents read.'),
    definition: definition.describe('The definition as it was accepted.'),
  })
  .describe('A tool, prompt or resource template that somebody has accepted.')

const acceptedByName = z.record(z.string(), accepted).default({})

const lockedPackage = z.object({
  name: z.string().describe('The npm package.'),
  version: z.string().describe('Its exact version.'),
  integrity: z.string().optional().describe('Its integrity in the registry, such as `sha512-…`.'),
})

export const lockedServerSchema = z.object({
  package: lockedPackage.optional().describe('What the command resolves to, if that is known.'),
  command: z
    .array(z.string())
    .optional()
    .describe('Its command and arguments as the servers file has them, with `${VAR}` unfilled.'),
  url: z.string().optional().describe('Its address as the servers file has it.'),
  tools: acceptedByName,
  prompts: acceptedByName,
  resourceTemplates: acceptedByName,
})

/** The lists whose definitions are accepted. */
export const ACCEPTED_LISTS = ['tools', 'prompts', 'resourceTemplates'] as const
export type AcceptedList = (typeof ACCEPTED_LISTS)[number]

export const lockSchema = z.object({
  version: z.literal(1),
  servers: z.record(z.string(), lockedServerSchema),
})

/** The npm package that a server runs. */
export type LockedPackage = z.output<typeof lockedPackage>
/** A definition that somebody has accepted. */
export type AcceptedDefinition = z.output<typeof accepted>
/** What was accepted of one server. */
export type LockedServer = z.output<typeof lockedServerSchema>
/** What was accepted of the servers of one `.mcp.json`. */
export type Lock = z.output<typeof lockSchema>

export const EMPTY_LOCK: Lock = { version: 1, servers: {} }

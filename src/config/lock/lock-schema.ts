import { z } from 'zod'
import { NOTHING_ACCEPTED, acceptedListsSchema } from '../../gateway/tools/accepted.ts'

const lockedPackage = z.object({
  name: z.string().describe('The npm package.'),
  version: z.string().describe('Its exact version.'),
  integrity: z.string().optional().describe('Its integrity in the registry, such as `sha512-…`.'),
})

export const lockedServerSchema = acceptedListsSchema.extend({
  package: lockedPackage.optional().describe('What the command resolves to, if that is known.'),
  command: z
    .array(z.string())
    .optional()
    .describe('Its command and arguments as the servers file has them, with `${VAR}` unfilled.'),
  url: z.string().optional().describe('Its address as the servers file has it.'),
})

export const lockSchema = z.object({
  version: z.literal(1),
  servers: z.record(z.string(), lockedServerSchema),
})

/** The npm package that a server runs. */
export type LockedPackage = z.output<typeof lockedPackage>
/** What was accepted of one server. */
export type LockedServer = z.output<typeof lockedServerSchema>
/** What was accepted of the servers of one `.mcp.json`. */
export type Lock = z.output<typeof lockSchema>

export const EMPTY_LOCK: Lock = { version: 1, servers: {} }
export const EMPTY_SERVER: LockedServer = NOTHING_ACCEPTED

import { z } from 'zod'
import { NOTHING_ACCEPTED, acceptedListsSchema } from '../../gateway/tools/accepted.ts'
import { lockedPackageSchema } from '../../gateway/tools/locked-package.ts'

export const lockedServerSchema = acceptedListsSchema.extend({
  package: lockedPackageSchema
    .optional()
    .describe('What the command resolves to, if that is known.'),
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

/** What was accepted of one server. */
export type LockedServer = z.output<typeof lockedServerSchema>
/** What was accepted of the servers of one `.mcp.json`. */
export type Lock = z.output<typeof lockSchema>

export const EMPTY_LOCK: Lock = { version: 1, servers: {} }
export const EMPTY_SERVER: LockedServer = NOTHING_ACCEPTED

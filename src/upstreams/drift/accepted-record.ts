import { z } from 'zod'
import {
  ACCEPTED_LISTS,
  NOTHING_ACCEPTED,
  acceptedListsSchema,
  definitionSchema,
} from '../../gateway/tools/accepted.ts'

const heldChange = z.object({
  list: z.enum(ACCEPTED_LISTS),
  name: z.string(),
  /** Of the definition that waits. */
  digest: z.string(),
  definition: definitionSchema,
  reasons: z.array(z.string()),
  hold: z.enum(['text', 'definition']),
  /** In milliseconds since the epoch. */
  since: z.number(),
  /** The kind of connection that listed it. */
  variant: z.string(),
  rejected: z.boolean().optional(),
})

/** What is remembered of a server in the data folder. */
export const acceptedRecordSchema = z.object({
  version: z.literal(1),
  server: z.string(),
  accepted: acceptedListsSchema,
  /** The kinds of connections of which a whole listing was accepted. */
  variants: z.array(z.string()),
  /** Why nothing of a new server is used until a person has looked at it. */
  quarantine: z.string().optional(),
  /** Changes that wait for a person, and those that were rejected. */
  held: z.array(heldChange),
  /** Digests of definitions that were accepted or applied, and reported. */
  known: z.array(z.string()),
})

export type HeldChange = z.output<typeof heldChange>
export type AcceptedRecord = z.output<typeof acceptedRecordSchema>

export function emptyRecord(server: string): AcceptedRecord {
  return {
    version: 1,
    server,
    accepted: NOTHING_ACCEPTED,
    variants: [],
    held: [],
    known: [],
  }
}

import { withTimeout } from '../../base/flow/time.ts'
import { messageOf } from '../../base/errors.ts'
import { canonicalJson } from '../../base/json/json.ts'
import type { Vault } from '../../identity/vault/vault.ts'
import { type AcceptedRecord, acceptedRecordSchema } from '../../upstreams/drift/accepted-record.ts'
import type { AcceptedStore } from '../../upstreams/drift/accepted-store.ts'

/** The longest that a database that does not answer delays the first listing. */
const FIRST_LOOK_MS = 2_000

interface Stored {
  readonly record: unknown
}

/**
 * Shares what was accepted of a server with other replicas, so that one that starts later accepts
 * nothing else. While the database is away, each uses what it knows itself.
 */
export function shareAccepted(local: AcceptedStore, vault: Vault, key: string): AcceptedStore {
  const shared = vault.record<Stored>(`accepted:${key}`)
  let known: AcceptedRecord | undefined
  let stamp = ''
  let problem: string | undefined
  let first: Promise<void> | undefined
  let isLoaded = false

  async function look(): Promise<void> {
    try {
      const { record } = await shared.read()
      if (record === undefined) return
      known = acceptedRecordSchema.parse(record)
      stamp = canonicalJson(record)
      problem = undefined
    } catch (error) {
      problem = `What replicas have accepted cannot be read, so this one decides by itself: ${messageOf(error)}`
    }
  }

  async function firstLook(): Promise<void> {
    await withTimeout(look(), FIRST_LOOK_MS, () => undefined)
    isLoaded = true
  }

  return {
    load: () => known ?? local.load(),
    save(record) {
      known = record
      stamp = canonicalJson(record)
      local.save(record)
      shared.update({ record }).catch((error: unknown) => {
        problem = `What is accepted cannot be stored for other replicas: ${messageOf(error)}`
      })
    },
    stamp() {
      void look()
      return stamp
    },
    get problem() {
      return problem ?? local.problem
    },
    loaded() {
      first ??= firstLook()
      return isLoaded ? undefined : first
    },
  }
}

import type { EraName } from '../../protocol/eras/eras.ts'
import { createSealedIds } from '../../base/secrets/sealed-ids.ts'

/** Where a task is, and whose it is. */
export interface TaskRef {
  /** Empty for a task of one of the gateway's own tools. */
  readonly server: string
  readonly tool: string
  /** The agent that owns it, in the name of one person. Nobody else may use the id. */
  readonly owner: string
  /** The replica that runs it or its child process; empty if every replica can reach it. */
  readonly replica: string
  /** The connection that it was made on; empty if any will do. */
  readonly connection: string
  /** Its id on the server; empty for a task that the gateway keeps. */
  readonly upstreamId: string
  /** The era of that server: each has its own form of tasks. */
  readonly era: EraName
  /** The gateway's id of a kept task; empty for a task of the server. */
  readonly heldId: string
  /** The run of the gateway that keeps it or its connection; empty if it outlives them. */
  readonly run: string
  /** In milliseconds since the epoch. */
  readonly createdAt: number
  /** How long it can be asked for; infinite if its server sets no limit. */
  readonly ttlMs: number
}

/** The ids that clients see; they hold the place of a task, encrypted for this installation. */
export interface TaskIds {
  seal(ref: TaskRef): string
  /** Returns undefined for anything that is not an id of ours. */
  open(id: unknown): TaskRef | undefined
}

/** Longer than any id that is made here. */
const MAX_LENGTH = 4096

/** Makes ids that need no table. */
export function createTaskIds(secret: () => Buffer): TaskIds {
  const ids = createSealedIds({
    prefix: 'pt_',
    purpose: 'task ids',
    secret,
    maxLength: MAX_LENGTH,
  })
  return {
    seal: (ref) => ids.seal(JSON.stringify(FIELDS.map((field) => ref[field]))),
    open(id) {
      const text = ids.open(id)
      const parts: unknown = text === undefined ? undefined : JSON.parse(text)
      return Array.isArray(parts) ? toRef(parts.map((part) => String(part ?? ''))) : undefined
    },
  }
}

/** The fields of an id, in their order. */
const FIELDS = [
  'server',
  'tool',
  'owner',
  'replica',
  'connection',
  'upstreamId',
  'era',
  'heldId',
  'run',
  'createdAt',
  'ttlMs',
] as const satisfies readonly (keyof TaskRef)[]

function toRef(parts: readonly string[]): TaskRef {
  const text = (field: (typeof FIELDS)[number]) => parts[FIELDS.indexOf(field)] ?? ''
  const ttlMs = text('ttlMs')
  return {
    server: text('server'),
    tool: text('tool'),
    owner: text('owner'),
    replica: text('replica'),
    connection: text('connection'),
    upstreamId: text('upstreamId'),
    era: text('era') === 'legacy' ? 'legacy' : 'modern',
    heldId: text('heldId'),
    run: text('run'),
    createdAt: Number(text('createdAt')),
    // JSON has no infinity.
    ttlMs: ttlMs === '' ? Infinity : Number(ttlMs),
  }
}

import { readFileSync, statSync } from 'node:fs'
import { z } from 'zod'
import { GatewayError } from '../gateway/errors.ts'
import { createKeySecret, isSecretOf, keyIdOf } from './key-secret.ts'
import type { Key, KeyStore } from './key-store.ts'
import { ROLES } from './role.ts'
import { withLock, writeSecretFile } from './safe-file.ts'

const time = z.iso.datetime().transform((text) => Date.parse(text))

const fileSchema = z.object({
  version: z.literal(1),
  keys: z.array(
    z.object({
      id: z.string(),
      agent: z.string(),
      role: z.enum(ROLES).optional(),
      sha256: z.string().regex(/^[0-9a-f]{64}$/),
      createdAt: time,
      expiresAt: time.optional(),
      revokedAt: time.optional(),
    }),
  ),
})

type StoredKey = z.output<typeof fileSchema>['keys'][number]

const CACHED = 1024

/** Stores keys in one JSON file that several processes may share. */
export function createFileKeyStore(path: string): KeyStore {
  let keys: ReadonlyMap<string, StoredKey> = new Map()
  let version = ''
  /** Secrets already verified against this version of the file. */
  const checked = new Map<string, StoredKey>()

  /** Returns the current keys; checks the inode on every call, so revocations apply at once. */
  function current(): ReadonlyMap<string, StoredKey> {
    const found = statSync(path, { bigint: true, throwIfNoEntry: false })
    const now = found === undefined ? '' : `${found.ino}:${found.mtimeNs}:${found.size}`
    if (now !== version) {
      keys = found === undefined ? new Map() : readKeyFile(path)
      version = now
      checked.clear()
    }
    return keys
  }

  async function change(edit: (keys: Map<string, StoredKey>) => void): Promise<void> {
    await withLock(path, async () => {
      const edited = new Map(current())
      edit(edited)
      await writeSecretFile(path, serialise([...edited.values()]))
    })
  }

  return {
    find(secret) {
      const stored = current()
      const known = checked.get(secret)
      if (known !== undefined) return known
      const key = stored.get(keyIdOf(secret) ?? '')
      if (key === undefined || !isSecretOf(secret, key.sha256)) return undefined
      if (checked.size >= CACHED) checked.clear()
      checked.set(secret, key)
      return key
    },
    byId: (id) => current().get(id),
    async create(agent, { expiresAt, role } = {}) {
      const { id, secret, sha256 } = createKeySecret()
      const key: Key = {
        id,
        agent,
        ...(role !== undefined && role !== 'agent' && { role }),
        createdAt: Date.now(),
        ...(expiresAt !== undefined && { expiresAt }),
      }
      await change((all) => all.set(id, { ...key, sha256 }))
      return { key, secret }
    },
    async list() {
      return [...current().values()].map(withoutHash)
    },
    async revoke(id) {
      let revoked: Key | undefined
      await change((all) => {
        const stored = all.get(id)
        if (stored === undefined) return
        const updated = { ...stored, revokedAt: stored.revokedAt ?? Date.now() }
        all.set(id, updated)
        revoked = updated
      })
      return revoked
    },
  }
}

/** Throws if the file cannot be read, instead of treating it as empty. */
export function readKeyFile(path: string): ReadonlyMap<string, StoredKey> {
  try {
    const file = fileSchema.parse(JSON.parse(readFileSync(path, 'utf8')))
    return new Map(file.keys.map((key) => [key.id, key]))
  } catch (cause) {
    throw new GatewayError('SERVER_UNAVAILABLE', `The key store ${path} cannot be read`, {
      hint: 'Restore the file from a backup, or remove it and create new keys.',
      cause,
    })
  }
}

function withoutHash({ sha256: _hash, ...key }: StoredKey): Key {
  return key
}

function serialise(keys: readonly StoredKey[]): string {
  const written = keys.map((key) => ({
    ...key,
    createdAt: toIso(key.createdAt),
    expiresAt: toIso(key.expiresAt),
    revokedAt: toIso(key.revokedAt),
  }))
  return `${JSON.stringify({ version: 1, keys: written }, null, 2)}\n`
}

function toIso(at: number | undefined): string | undefined {
  return at === undefined ? undefined : new Date(at).toISOString()
}

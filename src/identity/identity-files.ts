import { join } from 'node:path'

/** Where the secrets of identity are in the data folder. */
export function identityFiles(home: string): {
  readonly keys: string
  readonly handleSecret: string
  /** What the gateway keeps sealed, and the key for it. */
  readonly vault: string
  readonly vaultKey: string
} {
  return {
    keys: join(home, 'keys.json'),
    handleSecret: join(home, 'handle-secret'),
    vault: join(home, 'vault'),
    vaultKey: join(home, 'vault-key'),
  }
}

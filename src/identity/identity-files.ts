import { join } from 'node:path'

/** Returns the paths of identity secrets in the data folder. */
export function identityFiles(home: string): {
  readonly keys: string
  readonly handleSecret: string
  /** Who can read it is the person whose gateway this is: see local-passes.ts. */
  readonly localSecret: string
  /** The sealed records of the gateway; `vaultKey` is their key. */
  readonly vault: string
  readonly vaultKey: string
} {
  return {
    keys: join(home, 'keys.json'),
    handleSecret: join(home, 'handle-secret'),
    localSecret: join(home, 'local-secret'),
    vault: join(home, 'vault'),
    vaultKey: join(home, 'vault-key'),
  }
}

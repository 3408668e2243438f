import { join } from 'node:path'

/** Where the secrets of identity lie in the data folder. */
export function identityFiles(home: string): {
  readonly keys: string
  readonly handleSecret: string
} {
  return { keys: join(home, 'keys.json'), handleSecret: join(home, 'handle-secret') }
}

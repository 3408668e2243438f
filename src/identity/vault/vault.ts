import type { Soon } from '../../base/flow/soon.ts'

/** Persistent records that only a gateway with the key can read: sign-ins, keys of people. */
export interface Vault {
  record<Value extends object>(name: string): VaultRecord<Value>
  /** Returns the names with this prefix. */
  names(prefix: string): Promise<string[]>
}

/** One record of a vault, cheap to read often: it is read from memory until it changes. */
export interface VaultRecord<Value extends object> {
  read(): Soon<Partial<Value>>
  /** A key whose new value is undefined is removed. */
  update(change: Change<Value>): Promise<void>
  remove(): Promise<void>
  /** Runs `work` exclusively among all who share the vault; reads in it see the current record. */
  exclusively<Result>(work: () => Promise<Result>): Promise<Result>
}

export type Change<Value> = { readonly [Key in keyof Value]?: Value[Key] | undefined }

export function withChange<Value extends object>(
  stored: Partial<Value>,
  change: Change<Value>,
): Partial<Value> {
  const changed: Partial<Value> = { ...stored }
  for (const key of Object.keys(change)) Reflect.deleteProperty(changed, key)
  const present = Object.entries(change).filter(([, value]) => value !== undefined)
  return Object.assign(changed, Object.fromEntries(present))
}

import type { Soon } from '../../base/flow/soon.ts'

/** Records that outlive the process and that only a gateway with the key can read: sign-ins, keys of people. */
export interface Vault {
  record<Value extends object>(name: string): VaultRecord<Value>
  /** The names that begin so. */
  names(prefix: string): Promise<string[]>
}

/** One record of a vault. Whoever reads it often may: it is read from memory until it changes. */
export interface VaultRecord<Value extends object> {
  read(): Soon<Partial<Value>>
  /** A key whose new value is undefined is removed. */
  update(change: Change<Value>): Promise<void>
  remove(): Promise<void>
  /** Runs `work` exclusively among all who share the vault, after reading the record again. */
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

import type { Environment } from '../../base/environment.ts'

/** A variable of the original, and ours for the same; equal where we kept its name. */
export type OriginalName = readonly [theirs: string, ours: string]

/** The system that a stand-alone server replaces: who comes from it finds what they had. */
export interface ReplacedSystem {
  readonly name: string
  names(env: Environment): Promise<readonly OriginalName[]>
  /** Whether it reads its variables also from a file `.env` in the folder it is started in. */
  readonly readsDotEnv?: true
  /** Whether it listens for other machines unless an option says otherwise. */
  readonly listensForAll?: true
  /** Says which of its variables are left out, and why. */
  notes?(env: Environment, used: readonly string[]): Promise<readonly string[]>
  /** Adds what it uses where neither the environment nor a settings file says anything. */
  withDefaults?(env: Environment): Environment
}

/** Adds what the original's variables say under our names, which come first where both are set. */
export function withOurNames(
  env: Environment,
  names: readonly OriginalName[],
): { readonly env: Environment; readonly used: readonly string[] } {
  const used = names.filter(
    ([theirs, ours]) => env[theirs] && (theirs === ours || !env[ours] || env[ours] === env[theirs]),
  )
  const ours = Object.fromEntries(used.map(([name, own]) => [own, env[name]]))
  return { env: { ...env, ...ours }, used: used.map(([name]) => name) }
}

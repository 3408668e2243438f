import type { JsonObject } from '../../../base/json/json.ts'

/** A value that a new server needs from the person who adds it. */
export interface DeclaredVariable {
  /** How the person names it: `--env NAME=value`. */
  readonly name: string
  readonly description: string
  readonly isRequired: boolean
  readonly isSecret: boolean
  readonly default?: string | undefined
  readonly placeholder?: string | undefined
  readonly choices: readonly string[]
  /** `string`, `number`, `boolean` or `filepath`. */
  readonly format: string
  /** Whether the entry refers to it by this name, so that it is stored under this name. */
  readonly isReference?: true
}

/** A part of an entry with `${NAME}` for variables; left out while one of them has no value. */
export interface PlannedField {
  readonly at: 'args' | 'env' | 'headers' | 'url'
  /** The name of the variable or header. */
  readonly key?: string
  /** Several for an argument with its value. */
  readonly words: readonly string[]
  readonly variables: readonly string[]
}

/** A server that is to be added: its entry as far as it is known, and what is asked for. Plain data. */
export interface ServerPlan {
  readonly name: string
  readonly entry: JsonObject
  readonly fields: readonly PlannedField[]
  readonly variables: readonly DeclaredVariable[]
  /** Where the entry comes from, if a registry has it. */
  readonly origin?: { readonly registry: string; readonly name: string; readonly version: string }
  /** What the person should know, such as other ways to run it. */
  readonly notes: readonly string[]
}

/** A plan with all values: what is written to the servers file and to the stored secrets. */
export interface FilledPlan {
  readonly name: string
  /** With `${NAME}` for secrets. */
  readonly entry: JsonObject
  /** The secrets that are not stored yet; never to be printed. */
  readonly secrets: ReadonlyMap<string, string>
}

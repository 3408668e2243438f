import { code } from './code/index.ts'
import { knowledge } from './knowledge/index.ts'
import { traces } from './traces/index.ts'
import type { Builtin } from './kit/define-builtin.ts'

/** The servers that come with Portolan. A new one is its manifest and a line here. */
export const BUILTINS = [code, knowledge, traces] as const

export type BuiltinName = (typeof BUILTINS)[number]['name']

export function findBuiltin(name: BuiltinName): Builtin<BuiltinName> {
  const found: Builtin<BuiltinName> | undefined = BUILTINS.find((builtin) => builtin.name === name)
  if (!found) throw new Error(`There is no built-in '${name}'`)
  return found
}

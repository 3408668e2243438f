import { BUILTINS, type BuiltinName } from './index.ts'
import type { Builtin } from './kit/define-builtin.ts'

/** Not beside the list, which `test/support/toy` replaces. */
export function findBuiltin(name: BuiltinName): Builtin<BuiltinName> {
  const found: Builtin<BuiltinName> | undefined = BUILTINS.find((builtin) => builtin.name === name)
  if (!found) throw new Error(`There is no built-in '${name}'`)
  return found
}

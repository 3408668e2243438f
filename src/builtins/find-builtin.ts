import { BUILTINS, type BuiltinName } from './index.ts'
import type { Builtin } from './kit/define-builtin.ts'

/** Lives outside the module with the list because `test/support/toy` replaces that module. */
export function findBuiltin(name: BuiltinName): Builtin<BuiltinName> {
  const found: Builtin<BuiltinName> | undefined = BUILTINS.find((builtin) => builtin.name === name)
  if (!found) throw new Error(`There is no built-in '${name}'`)
  return found
}

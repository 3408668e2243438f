import { code } from './code/index.ts'
import { knowledge } from './knowledge/index.ts'
import { traces } from './traces/index.ts'

/** The servers that come with Portolan. To add one, write its manifest and add it here. */
export const BUILTINS = [code, knowledge, traces] as const

export type BuiltinName = (typeof BUILTINS)[number]['name']

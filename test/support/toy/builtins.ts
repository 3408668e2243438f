import { BUILTINS as OURS } from '../../../src/builtins/index.ts'
import { toy } from './toy.ts'

/** The list of built-ins with one more. */
export const BUILTINS = [...OURS, toy] as const

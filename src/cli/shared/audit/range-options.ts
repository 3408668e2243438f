import type { Command, OptionValues } from '@commander-js/extra-typings'
import { parsePast } from '../terminal/option-values.ts'
import type { Range } from './recorded-calls.ts'

export interface RangeOptions {
  readonly since?: number
  readonly until?: number
}

const WEEK_MS = 7 * 86_400_000

/** Adds the options of every command that reads the audit record. */
export function withRangeOptions<Args extends unknown[], Options extends OptionValues>(
  command: Command<Args, Options>,
) {
  return command
    .option('--since <when>', 'start: a duration before now (default: 7d) or a date', parsePast)
    .option('--until <when>', 'end: a duration before now (1d) or a date', parsePast)
}

export function toRange({ since, until }: RangeOptions): Range {
  return { from: since ?? Date.now() - WEEK_MS, to: until ?? Infinity }
}

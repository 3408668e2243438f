import { appendFileSync, existsSync, readFileSync } from 'node:fs'

/** The results so far, one JSON object per line; after a run that hangs, the next continues. */
export type Line =
  | {
      readonly covered: readonly string[]
      /** Mutants that were reached while modules were loaded, before any test. */
      readonly loaded: readonly string[]
      readonly file: string
      readonly ms: number
    }
  | { readonly begin: string; readonly file: string }
  | { readonly tried: string; readonly file: string; readonly isKilled: boolean }
  /** The tests failed without any mutant, because an earlier one left state behind. */
  | { readonly leftOver: true; readonly file: string }
  /** The tests fail without any mutant from the beginning, so they prove nothing. */
  | { readonly isRed: true; readonly file: string }
  | { readonly done: true; readonly file: string }

export function writeLine(path: string, line: Line): void {
  appendFileSync(path, `${JSON.stringify(line)}\n`)
}

export function readLines(path: string): Line[] {
  if (!existsSync(path)) return []
  const lines = readFileSync(path, 'utf8').split('\n').filter(Boolean)
  return lines.map((line): Line => JSON.parse(line))
}

/** Whether a mutant is in a sample of one in `every`. Ids are numbers in the order of the code. */
export function isSampled(id: string, every: number): boolean {
  return Number(id) % every === 0
}

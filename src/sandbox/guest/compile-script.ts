import { EvalFlags, JSException, type JSValueHandle, type QuickJS } from 'quickjs-wasi'
import { SourceError, stripTypes } from './strip-types.ts'

/** The promise of a script that has begun to run. */
export interface RunningScript {
  readonly promise: JSValueHandle
  /** Whether it runs as a function body with `return`, not as a script with a last expression. */
  readonly wrapped: boolean
}

const BEFORE = '(async () => {\n'
const AFTER = '\n})()'

/** The file name of a script. The number after `+` is how many lines precede the source. */
const FILE = 'script.ts'
const WRAPPED_FILE = 'script+1.ts'
const PLACE = /script(\+1)?\.ts:(\d+):(\d+)/

export interface SourcePosition {
  readonly line: number
  readonly column: number
}

/** Returns the position in the agent's source that a stack names. */
export function placeIn(stack: string): SourcePosition | undefined {
  const [, shifted, line, column] = PLACE.exec(stack) ?? []
  if (line === undefined) return undefined
  return { line: Number(line) - (shifted === undefined ? 0 : 1), column: Number(column) }
}

/**
 * Starts a source: as a script, whose last expression is the result, or else as the body of a
 * function, which may `return`. It is tried as JavaScript first: `a<b>(c)` keeps its meaning, and
 * plain scripts never load the type stripper. A source that does not parse leaves the virtual
 * machine untouched.
 */
export function startScript(vm: QuickJS, source: string): RunningScript {
  const started = tryToStart(vm, source)
  if (!(started instanceof JSException)) return started
  const stripped = strip(source)
  const retried = stripped === source ? started : tryToStart(vm, stripped)
  if (retried instanceof JSException) throw retried
  return retried
}

/** Returns the error if the source does not parse. */
function tryToStart(vm: QuickJS, source: string): RunningScript | JSException {
  try {
    return { promise: vm.evalCode(source, FILE, EvalFlags.ASYNC), wrapped: false }
  } catch (error) {
    if (!isSyntaxError(error)) throw error
  }
  try {
    return { promise: vm.evalCode(BEFORE + source + AFTER, WRAPPED_FILE), wrapped: true }
  } catch (error) {
    if (!isSyntaxError(error)) throw error
    return error
  }
}

/** Strips types inside a function, since the parser refuses `return` elsewhere; keeps positions. */
function strip(source: string): string {
  try {
    return stripTypes(BEFORE + source + AFTER).slice(BEFORE.length, -AFTER.length)
  } catch (error) {
    if (!(error instanceof SourceError) || error.line === undefined) throw error
    const { message, line, column = 0 } = error
    throw new SourceError(message, { line: line - 1, column: column + 1 })
  }
}

function isSyntaxError(error: unknown): error is JSException {
  return error instanceof JSException && error.name === 'SyntaxError'
}

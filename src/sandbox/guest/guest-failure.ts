import { JSException } from 'quickjs-wasi'
import { messageOf } from '../../base/errors.ts'
import { placeIn } from './compile-script.ts'
import type { Limits } from '../limits.ts'
import type { Failure, FailureCode } from '../messages.ts'
import { SourceError } from './strip-types.ts'

/** Unwinds the engine at once, without running any more of the script. */
export class Stop extends Error {
  readonly code: FailureCode

  constructor(code: FailureCode) {
    super(code)
    this.code = code
  }
}

/** The engine's message for a stack that is too deep. */
const TOO_DEEP = 'Maximum call stack size exceeded'
const MAX_LENGTH = 200
const MAX_THROWN_LENGTH = 64 * 1024

/** Describes an error raised by the sandbox itself: a limit, a syntax error, or a defect. */
export function toFailure(error: unknown, nearlyFull: boolean): Failure {
  if (error instanceof Stop) return { code: error.code, message: '' }
  if (error instanceof SourceError) {
    const { name, message, line, column } = error
    return { code: 'syntax', name, message, line, column }
  }
  if (error instanceof JSException && error.name === 'SyntaxError') {
    const { name, message, stack = '' } = error
    return { code: 'syntax', name, message, ...placeIn(stack) }
  }
  const message = messageOf(error)
  if (error instanceof RangeError || message === TOO_DEEP)
    return { code: 'stack_limit', message: '' }
  if (nearlyFull || message.includes('wasm_malloc')) return { code: 'memory_limit', message: '' }
  return { code: 'sandbox_failed', message: message.slice(0, MAX_LENGTH) }
}

/** Describes an uncaught error of the script, from the JSON of its prelude. */
export function toThrown(json: string, nearlyFull: boolean): Failure {
  // The prelude cuts it too, but with functions that a script may have replaced.
  if (json.length > MAX_THROWN_LENGTH)
    return { code: 'script_error', message: 'The error is too long' }
  const { name, message, place, data }: Record<string, unknown> = JSON.parse(json)
  const text = String(message)
  return {
    code: codeOf(String(name), text, nearlyFull),
    name: String(name),
    message: text,
    ...placeIn(String(place)),
    ...(data !== undefined && { data }),
  }
}

function codeOf(name: string, message: string, nearlyFull: boolean): FailureCode {
  if (message === 'out of memory') return 'memory_limit'
  // An engine without memory may be unable to create the error.
  if (nearlyFull && (message === 'null' || message === '[uninitialized]')) return 'memory_limit'
  return name === 'RangeError' && message === TOO_DEEP ? 'stack_limit' : 'script_error'
}

export function neverSettles(nearlyFull: boolean): Failure {
  return { code: nearlyFull ? 'memory_limit' : 'never_settles', message: '' }
}

export function resultTooLong(chars: string, { resultChars }: Limits): Failure {
  const message = `The result has ${chars} characters, ${resultChars} are allowed`
  return { code: 'result_limit', message }
}

/** The JSON of an error that the script may catch. */
export function argumentsTooLarge(chars: number, most: number): string {
  return JSON.stringify({
    name: 'ArgumentsTooLarge',
    message: `The arguments have ${chars} characters, ${most} are allowed`,
    data: { code: 'ARGUMENTS_TOO_LARGE' },
  })
}

import { type Context, Script, createContext } from 'node:vm'

export class TimeLimitError extends Error {
  override readonly name = 'TimeLimitError'
}

const TIMEOUT = 'ERR_SCRIPT_EXECUTION_TIMEOUT'
let limited: { readonly context: Context; readonly script: Script } | undefined

/**
 * Runs work on this thread and stops it when its time is over, even inside an endless loop or
 * regular expression.
 */
export function runWithin<Value>(ms: number, work: () => Value): Value {
  limited ??= { context: createContext({}), script: new Script('run()') }
  const done: Value[] = []
  limited.context['run'] = () => void done.push(work())
  try {
    limited.script.runInContext(limited.context, { timeout: Math.max(1, Math.ceil(ms)) })
  } catch (error) {
    // The error comes from another context, so it is not an instance of this context's `Error`.
    if (Reflect.get(Object(error), 'code') !== TIMEOUT) throw error
    throw new TimeLimitError(`it took longer than ${Math.ceil(ms)} ms`, { cause: error })
  }
  for (const value of done) return value
  throw new TimeLimitError('it ended without a value')
}

import { escapeRegExp } from '../base/text/escape-regexp.ts'
import { beginningOf } from '../base/text/detached.ts'
import { stringifyExact } from '../base/json/exact-json.ts'
import type { CallResult } from '../gateway/call.ts'
import type { Capture } from '../gateway/layers/audit.ts'
import { rawText } from '../protocol/raw-text.ts'

/** The arguments and result of one call, as JSON text; secrets are not removed. */
export interface CapturedCall {
  readonly arguments: string | undefined
  readonly result: string | undefined
  /** Whether one of them was too long to be kept whole. */
  readonly isCut: boolean
}

interface CaptureStatus {
  readonly on: boolean
  readonly calls: number
  readonly bytes: number
}

export interface CallCapture extends Capture {
  readonly status: CaptureStatus
  /** Turns capturing on or off; turning it off deletes what was kept. */
  turn(on: boolean): void
  find(id: string): CapturedCall | undefined
  /** The calls whose arguments or result have a text, in any case, also after `clean`. */
  search(text: string, clean: (found: string) => string): string[]
}

export interface CaptureLimits {
  readonly mostCalls: number
  readonly mostBytes: number
  /** Limit for the arguments of one call, and separately for its result. */
  readonly mostBytesEach: number
}

const LIMITS: CaptureLimits = {
  mostCalls: 500,
  mostBytes: 16 * 1024 * 1024,
  mostBytesEach: 64 * 1024,
}

/** Keeps arguments and results of the newest calls, in memory only; off until turned on. */
export function createCapture(limits: CaptureLimits = LIMITS): CallCapture {
  const kept = new Map<string, CapturedCall>()
  let isOn = false
  let bytes = 0

  function forget(id: string, captured: CapturedCall): void {
    kept.delete(id)
    bytes -= sizeOf(captured)
  }

  return {
    get isOn() {
      return isOn
    },
    get status() {
      return { on: isOn, calls: kept.size, bytes }
    },
    turn(on) {
      isOn = on
      if (on) return
      kept.clear()
      bytes = 0
    },
    keep(id, args, result) {
      const whole = { arguments: textOf(args), result: result && resultText(result) }
      const captured = {
        arguments: cut(whole.arguments, limits.mostBytesEach),
        result: cut(whole.result, limits.mostBytesEach),
        isCut: [whole.arguments, whole.result].some(
          (text) => text !== undefined && text.length > limits.mostBytesEach,
        ),
      }
      kept.set(id, captured)
      bytes += sizeOf(captured)
      for (const [oldest, entry] of kept) {
        if (kept.size <= limits.mostCalls && bytes <= limits.mostBytes) break
        forget(oldest, entry)
      }
    },
    find: (id) => kept.get(id),
    search(text, clean) {
      const pattern = new RegExp(escapeRegExp(text), 'i')
      const has = (json = '') => pattern.test(json) && pattern.test(clean(json))
      return [...kept].flatMap(([id, call]) =>
        has(call.arguments) || has(call.result) ? [id] : [],
      )
    },
  }
}

function resultText(result: CallResult): string | undefined {
  return rawText(result) ?? textOf(result)
}

function textOf(value: unknown): string | undefined {
  return value === undefined ? undefined : stringifyExact(value)
}

function cut(text: string | undefined, most: number): string | undefined {
  return text === undefined ? text : beginningOf(text, most)
}

/** Counts two bytes per character, the most that text takes in memory. */
function sizeOf({ arguments: args = '', result = '' }: CapturedCall): number {
  return 2 * (args.length + result.length)
}

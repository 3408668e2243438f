import { z } from 'zod'
import { MAX_TIMER_MS } from '../../base/flow/time.ts'

export const MIB = 1024 * 1024
/** A time that may reach a timer. A longer one than Node can wait for lasts as long as it can. */
export const waitOrNone = z
  .int()
  .nonnegative()
  .overwrite((ms) => Math.min(ms, MAX_TIMER_MS))
export const milliseconds = waitOrNone.positive()
/** How long something that is stored is good. No timer waits for its end. */
export const lifetime = z.int().positive()
export const count = z.int().positive()
export const toolName = z
  .string()
  .regex(
    /^.+?(\.|__).+$/,
    'must name a tool as "server.tool", or all tools of a server as "server.*"',
  )

/** Defines a section, in which unknown keys are errors. Add `.prefault({})` to make it optional. */
export function section<Shape extends z.core.$ZodLooseShape>(text: string, shape: Shape) {
  return z.strictObject(shape).describe(text)
}

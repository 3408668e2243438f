import { z } from 'zod'

export const MIB = 1024 * 1024
export const milliseconds = z.int().positive()
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

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

/** Settings that belong together; keys it does not know are errors. Add `.prefault({})` to let it be left out. */
export function section<Shape extends z.core.$ZodLooseShape>(text: string, shape: Shape) {
  return z.strictObject(shape).describe(text)
}

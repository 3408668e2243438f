import { z } from 'zod'
import { SURFACE_NAMES } from '../../../gateway/request.ts'
import { count, section } from '../section.ts'

const toolset = section('A named choice of tools for one kind of work.', {
  tools: z
    .array(z.string().regex(/^[^.]+\..+$/, 'must name tools as "server.tool" or "server.*"'))
    .min(1)
    .describe('Its tools, as "server.tool" or patterns like "figma.get_*"; rules may allow fewer.'),
  instructions: z.string().optional().describe('Said to agents that use it, before all else.'),
  surface: z
    .enum(SURFACE_NAMES)
    .optional()
    .describe('What these agents see, instead of `surface`, such as `direct` for a few tools.'),
  budget: count.optional().describe('The most tokens one result may take.'),
  defaultFor: z
    .array(z.string())
    .default([])
    .describe('Agents, people and groups that have it where they ask for none.'),
})

/** A name of a toolset, which is part of an address. */
export const TOOLSET_NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/

export const toolsets = z
  .record(
    z.string().regex(TOOLSET_NAME, 'must be letters, digits, ".", "_" and "-", as in an address'),
    toolset,
  )
  .default({})
  .describe(
    'Toolsets, by name: `/mcp/<name>`, `--toolset <name>` or `?toolset=<name>` shows these tools and no others. A toolset only narrows what rules allow.',
  )

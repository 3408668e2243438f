import { z } from 'zod'
import { MIB, count, milliseconds, section, waitOrNone } from '../section.ts'

/** Must be an origin, as OAuth metadata is at fixed paths below it. */
const publicUrl = z
  .url({ protocol: /^https?$/ })
  .refine((text) => URL.canParse(text) && new URL(text).pathname === '/' && !/[?#@]/.test(text), {
    message: 'must be a scheme, a host and perhaps a port, such as "https://mcp.example.com"',
  })
  .transform((text) => new URL(text).origin)

export const listen = section('Where the gateway listens, and to whom it answers.', {
  transport: z
    .enum(['stdio', 'http'])
    .optional()
    .describe(
      'How `portolan` without a command talks to its client; by default stdio. Containers set it to `http`.',
    ),
  host: z
    .string()
    .default('127.0.0.1')
    .describe(
      'Address to bind. Change it so that other machines reach the gateway, which then needs `auth`.',
    ),
  port: z
    .int()
    .min(0)
    .max(65535)
    .default(7411)
    .describe('Port to bind, where another program has this one; 0 takes any free one.'),
  publicUrl: publicUrl
    .optional()
    .describe(
      'The address at which people and clients reach the gateway, such as `https://mcp.example.com`; sign-in needs it. Requests to its host are accepted, and callers need a credential unless it is loopback.',
    ),
  path: z
    .string()
    .startsWith('/')
    .default('/mcp')
    .describe('URL path of the MCP endpoint, for clients or a proxy that expect another one.'),
  allowedHosts: z
    .array(z.string())
    .default([])
    .describe(
      'Further Host headers that are accepted, beside the address itself: the names by which a proxy or colleagues reach the gateway.',
    ),
  allowedOrigins: z
    .array(z.string())
    .default([])
    .describe('Origins of web pages that may call, for an MCP client in a browser; `*` for any.'),
  maxBodyBytes: count
    .default(64 * MIB)
    .describe(
      'Largest request body that is read. Raise it for tools that take whole files as arguments.',
    ),
  drainMs: waitOrNone
    .default(0)
    .describe(
      'After a signal to stop: how long to go on serving while load balancers notice (/ready is 503). Set it behind one, such as in Kubernetes.',
    ),
  finishMs: milliseconds
    .default(25_000)
    .describe(
      'After a signal to stop: how long calls in flight may take to end, after `drainMs`. Raise it where calls are long and the supervisor waits longer before it kills.',
    ),
})

import { z } from 'zod'
import { VERSION } from '../../base/version.ts'
import type { Me } from '../contract.ts'
import { loginCookie, logoutCookie } from '../access/cookie.ts'
import { text } from '../inputs.ts'
import { HttpError } from '../../http/http-error.ts'
import { type Route, defineRoute } from '../route.ts'
import type { Serving, Sources } from '../sources.ts'
import { type Visitor, knownVisitor } from '../access/visitor.ts'

/** Who am I; logging in and out. */
export function visitorRoutes(sources: Sources, serving: Serving): Route[] {
  const toMe = ({ role, via, actAs }: Visitor): Me => ({
    role,
    agent: actAs[0] ?? null,
    actAs,
    via,
    version: VERSION,
    endpoint: serving.endpoint(),
  })
  return [
    defineRoute('GET /me', { role: 'agent', answer: ({ visitor }) => toMe(visitor) }),
    defineRoute('POST /login', {
      role: null,
      body: z.object({ key: text }),
      async answer({ body, request, setHeader }) {
        const credential = body.key?.trim()
        const caller = { transport: 'http', credential, claimedAgent: undefined } as const
        const visitor = await knownVisitor(sources, caller, 'cookie')
        if (visitor.role === 'agent')
          throw new HttpError(
            403,
            'ROLE_REQUIRED',
            'This is the key of an agent, which may not see the dashboard',
            'Make one that may: `portolan keys create <agent> --role viewer` or `--role admin`.',
          )
        setHeader('set-cookie', loginCookie(credential ?? '', request))
        return toMe(visitor)
      },
    }),
    defineRoute('POST /logout', {
      role: null,
      answer({ request, setHeader }) {
        setHeader('set-cookie', logoutCookie(request))
        return { ok: true }
      },
    }),
  ]
}

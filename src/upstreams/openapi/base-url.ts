import type { ApiConfig } from './api-config.ts'
import type { ImportedApi } from './api-tool.ts'
import { isUrl } from './read-spec.ts'
import { SpecError } from './spec-error.ts'

/** Where calls go: what the user configured, else the first server that the description names. */
export function chooseBaseUrl(
  { baseUrl, openapi }: ApiConfig,
  { servers, title }: ImportedApi,
): URL {
  const wanted = baseUrl ?? servers[0] ?? (isUrl(openapi) ? '/' : undefined)
  const from = isUrl(openapi) ? openapi : undefined
  if (wanted === undefined || !URL.canParse(wanted, from ?? noBase(wanted))) {
    throw new SpecError(
      `The description of ${title || openapi} names no server that can be called.`,
      'Set baseUrl, such as "https://api.example.com/v1".',
    )
  }
  const url = new URL(wanted, from ?? noBase(wanted))
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    throw new SpecError(`${url.protocol} cannot be called.`, 'Set baseUrl to an http(s) address.')
  }
  return url
}

/** Some descriptions name a host without a scheme. */
function noBase(wanted: string): string | undefined {
  return wanted.startsWith('//') ? 'https://anywhere' : undefined
}

/** The base itself, the token endpoint of its credentials, and what the user allowed beside them. */
export function allowedOrigins(base: URL, { allowHosts, auth }: ApiConfig): string[] {
  const extra = allowHosts.map((host) => new URL(isUrl(host) ? host : `https://${host}`).origin)
  const tokenUrl = auth?.type === 'oauth2' ? auth.tokenUrl : undefined
  return [base.origin, ...extra, ...(tokenUrl === undefined ? [] : [new URL(tokenUrl).origin])]
}

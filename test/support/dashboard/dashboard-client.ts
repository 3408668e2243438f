import type { DashboardApi } from '../../../src/dashboard/contract.ts'
import { localPass } from './local-pass.ts'

type Key = keyof DashboardApi
type QueryOf<K extends Key> = DashboardApi[K] extends { query: infer Query extends object }
  ? Query
  : object
type BodyOf<K extends Key> = DashboardApi[K] extends { body: infer Body } ? Body : undefined

export interface AskOptions<K extends Key> {
  readonly query?: QueryOf<K>
  readonly body?: BodyOf<K>
  readonly params?: Readonly<Record<string, string>>
  readonly headers?: Readonly<Record<string, string>>
}

export interface Answered<K extends Key> {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  /** The body of a success; a test that expects a failure reads `failure`. */
  readonly value: DashboardApi[K]['answer']
  readonly failure: { readonly code: string; readonly message: string; readonly hint: string }
}

/**
 * Calls the dashboard's API over real HTTP, by the names of its contract. With the data folder of the
 * gateway as `home`, whatever may change something is asked as our own command line does.
 */
export function dashboardOf(
  url: string,
  always: Readonly<Record<string, string>> = {},
  home?: string,
) {
  const passFor = (method: string): Record<string, string> =>
    method === 'GET' || home === undefined
      ? {}
      : { authorization: `Bearer ${localPass(home, url)}` }
  return async function ask<K extends Key>(
    key: K,
    { query, body, params = {}, headers = {} }: AskOptions<K> = {},
  ): Promise<Answered<K>> {
    const [method = '', pattern = ''] = key.split(' ')
    const path = pattern.replaceAll(/:(\w+)/g, (_, name: string) =>
      encodeURIComponent(params[name] ?? ''),
    )
    const search = new URLSearchParams()
    for (const [name, value] of Object.entries(query ?? {})) search.set(name, String(value))
    const response = await fetch(`${url}/api/dashboard${path}?${search.toString()}`, {
      method,
      headers: {
        ...(method !== 'GET' && { 'x-portolan-dashboard': '1' }),
        ...passFor(method),
        ...always,
        ...headers,
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    const text = await response.text()
    // Requests that are refused before the API get plain text.
    const isJson = response.headers.get('content-type')?.startsWith('application/json')
    const parsed = isJson ? JSON.parse(text) : {}
    return {
      status: response.status,
      headers: response.headers,
      text,
      value: parsed,
      failure: parsed.error,
    }
  }
}

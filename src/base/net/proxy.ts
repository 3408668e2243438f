import type { Agent, Dispatcher } from 'undici'
import type { Environment } from '../environment.ts'
import { messageOf } from '../errors.ts'

/** The proxies for requests, as `EnvHttpProxyAgent` takes them; an empty text is none. */
export interface Proxies {
  readonly httpProxy: string
  readonly httpsProxy: string
  readonly noProxy: string
}

/** Hosts that are always reached directly: a proxy elsewhere cannot reach this machine's own. */
const DIRECT = ['localhost', '127.0.0.1', '[::1]']

/**
 * Returns the proxies that the environment names, as other programs read it: `HTTPS_PROXY`,
 * `HTTP_PROXY`, `ALL_PROXY` and `NO_PROXY`, in capitals or not. Undefined if there are none.
 */
export function proxiesFrom(env: Environment): Proxies | undefined {
  const read = (name: string) => env[name.toLowerCase()]?.trim() || env[name]?.trim() || ''
  const all = read('ALL_PROXY')
  const httpProxy = withScheme(read('HTTP_PROXY') || all)
  const httpsProxy = withScheme(read('HTTPS_PROXY') || all)
  const noProxy = read('NO_PROXY')
  if ((httpProxy === '' && httpsProxy === '') || noProxy === '*') return undefined
  return { httpProxy, httpsProxy, noProxy: [noProxy, ...DIRECT].join(',') }
}

function withScheme(proxy: string): string {
  return proxy === '' || proxy.includes('://') ? proxy : `http://${proxy}`
}

type Undici = Pick<typeof import('undici'), 'Agent' | 'EnvHttpProxyAgent'>

/** Creates an HTTP agent that uses the proxies of the environment. The caller loads `undici`. */
export function createAgent(
  undici: Undici,
  options: Agent.Options,
  env: Environment = process.env,
): Dispatcher {
  const proxies = proxiesFrom(env)
  if (!proxies) return new undici.Agent(options)
  try {
    return new undici.EnvHttpProxyAgent({ ...options, ...proxies })
  } catch (error) {
    const message = `The proxy in HTTPS_PROXY, HTTP_PROXY or ALL_PROXY cannot be used: ${messageOf(error)}`
    throw new Error(message, { cause: error })
  }
}

/** Makes `fetch` in this thread use the proxies of the environment, which Node leaves out. */
export async function proxyFetch(env: Environment = process.env): Promise<void> {
  if (!proxiesFrom(env)) return
  const undici = await import('undici')
  undici.setGlobalDispatcher(createAgent(undici, {}, env))
}

import { LRUCache } from 'lru-cache'
import { z } from 'zod'

export interface PackageRegistry {
  /** Returns undefined if the package is unknown or the registry does not answer. */
  latestVersion(name: string): Promise<string | undefined>
}

const TIMEOUT_MS = 3_000
const MAX_BYTES = 8 * 1024 * 1024
const DAY_MS = 86_400_000
const NAME = /^[a-z0-9](?:[a-z0-9._-]{0,98}[a-z0-9])?$/i

const answer = z.object({ info: z.object({ version: z.string() }) })

/** Uses PyPI's JSON API at the URL that the owner has set; redirects are not followed. */
export class PypiRegistry implements PackageRegistry {
  readonly #baseUrl: string
  /** Also caches unknown names, because many traces are about the same library. */
  readonly #known = new LRUCache<string, { version: string | undefined }>({
    max: 1000,
    ttl: DAY_MS,
  })

  constructor(baseUrl: string) {
    this.#baseUrl = baseUrl.replace(/\/+$/, '')
  }

  async latestVersion(name: string): Promise<string | undefined> {
    if (!NAME.test(name)) return undefined
    const normal = name.toLowerCase().replaceAll(/[-_.]+/g, '-')
    const known = this.#known.get(normal)
    if (known) return known.version
    const version = await this.#ask(normal).catch(() => 'no answer' as const)
    if (version === 'no answer') return undefined
    this.#known.set(normal, { version })
    return version
  }

  async #ask(name: string): Promise<string | undefined> {
    const response = await fetch(`${this.#baseUrl}/pypi/${name}/json`, {
      redirect: 'error',
      headers: { Accept: 'application/json' },
      signal: AbortSignal.timeout(TIMEOUT_MS),
    })
    if (response.status === 404) return undefined
    if (!response.ok) throw new Error(`The registry answered ${response.status}`)
    return answer.parse(JSON.parse(await readAtMost(response, MAX_BYTES))).info.version
  }
}

async function readAtMost(response: Response, bytes: number): Promise<string> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of response.body ?? []) {
    size += chunk.length
    if (size > bytes) throw new Error(`The registry's answer is over ${bytes} bytes`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

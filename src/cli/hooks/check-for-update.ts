import { z } from 'zod'

const DEADLINE_MS = 1_500
const latest = z.object({ version: z.string() })

/** A sentence when the package registry has a newer version; nothing when it has not, or does not answer. */
export async function checkForUpdate(
  current: string,
  registry = 'https://registry.npmjs.org',
): Promise<string | undefined> {
  const url = new URL('portolan/latest', registry.endsWith('/') ? registry : `${registry}/`)
  const response = await fetch(url, { signal: AbortSignal.timeout(DEADLINE_MS) })
  if (!response.ok) return undefined
  const { version } = latest.parse(await response.json())
  return isNewer(version, current)
    ? `Portolan ${version} is out; this is ${current}. Update: npm install -g portolan`
    : undefined
}

function isNewer(one: string, other: string): boolean {
  return one.localeCompare(other, 'en', { numeric: true }) > 0
}

import { randomBytes } from 'node:crypto'
import { link, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'

type Fetch = (request: Request) => Promise<Response>

const file = z.object({ api_key: z.string(), account: z.string() })
const issued = z.object({ api_key: z.string(), user_id: z.string() })

/**
 * Returns the key of this data folder's own account in the embedded service, created on first use.
 * Processes that start together use the same key: the first file written wins.
 */
export async function localKey(
  fetch: Fetch,
  home: string,
  database: string,
  keyHeader = 'X-API-Key',
): Promise<string> {
  const path = join(home, 'accounts', `${database}.json`)
  const stored = await read(path)
  const known = stored?.api_key
  if (known && (await isValid(fetch, { [keyHeader]: known }))) return known
  const name = `agent-${randomBytes(4).toString('hex')}`
  const response = await fetch(
    new Request('http://traces.invalid/api/v1/keys', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ email: `${name}@agents.portolan.invalid`, display_name: name }),
    }),
  )
  if (!response.ok)
    throw new Error(`Could not make a local traces account (HTTP ${response.status})`)
  const { api_key, user_id } = issued.parse(await response.json())
  await write(path, { api_key, account: user_id }, stored !== undefined)
  return (await read(path))?.api_key ?? api_key
}

/** Returns undefined if there is no file, and no key if the file is damaged. */
async function read(path: string): Promise<Partial<z.output<typeof file>> | undefined> {
  const text = await readFile(path, 'utf8').catch(() => undefined)
  if (text === undefined) return undefined
  try {
    return file.parse(JSON.parse(text))
  } catch {
    return {}
  }
}

/** Whether the database still knows the key; after it was replaced, it does not. */
async function isValid(fetch: Fetch, headers: Record<string, string>): Promise<boolean> {
  const request = new Request('http://traces.invalid/api/v1/keys/verify', { headers })
  return (await fetch(request)).status !== 401
}

async function write(
  path: string,
  content: z.output<typeof file>,
  replace: boolean,
): Promise<void> {
  await mkdir(join(path, '..'), { recursive: true, mode: 0o700 })
  // Written whole before it gets its name, because another process replaces a damaged file.
  const draft = `${path}.${randomBytes(4).toString('hex')}`
  await writeFile(draft, `${JSON.stringify(content)}\n`, { mode: 0o600 })
  if (replace) await rename(draft, path)
  else await link(draft, path).catch(() => {})
  await rm(draft, { force: true })
}

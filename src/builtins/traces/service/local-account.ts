import { randomBytes } from 'node:crypto'
import { link, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'

const file = z.object({ api_key: z.string(), account: z.string() })

/** A service that gives out accounts: the embedded one, or one elsewhere. */
export interface AccountIssuer {
  issue(email: string, displayName: string): Promise<{ id: string; key: string }>
  /** False only if the service does not know the key. */
  isKnown(key: string): Promise<boolean>
}

/**
 * Returns the key of this data folder's own account with a service, created on first use. Processes
 * that start together use the same key: the first file written wins.
 */
export async function localKey(
  issuer: AccountIssuer,
  home: string,
  service: string,
): Promise<string> {
  const path = join(home, 'accounts', `${service}.json`)
  const stored = await read(path)
  const known = stored?.api_key
  // After the database was replaced, it does not know the key any more.
  if (known && (await issuer.isKnown(known))) return known
  const name = `agent-${randomBytes(4).toString('hex')}`
  const { id, key } = await issuer.issue(`${name}@agents.portolan.invalid`, name)
  await write(path, { api_key: key, account: id }, stored !== undefined)
  return (await read(path))?.api_key ?? key
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

import { createReadStream, existsSync } from 'node:fs'
import { createInterface } from 'node:readline'

/** The entries of an audit file and those it was rotated to, oldest first; undefined for what is none. */
export async function* readAudit(path: string): AsyncGenerator {
  for (const file of auditFiles(path)) {
    const lines = createInterface({ input: createReadStream(file), crlfDelay: Infinity })
    for await (const text of lines) if (text !== '') yield parse(text)
  }
}

/** `audit.jsonl.5` is older than `audit.jsonl.1`, and that than the file itself. */
export function auditFiles(path: string): string[] {
  const rotated: string[] = []
  for (let n = 1; existsSync(`${path}.${n}`); n++) rotated.unshift(`${path}.${n}`)
  return existsSync(path) ? [...rotated, path] : rotated
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined // A line cut by a crash, or of another program.
  }
}

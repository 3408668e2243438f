import { readFileSync } from 'node:fs'
import { locate } from '../../config/paths.ts'
import { isObject } from '../../base/json.ts'
import type { Names } from './suggest.ts'

/** Read from the files without validation, because the user waits for it after pressing TAB. */
export function configuredNames(): Names {
  return {
    servers: () => keysOf('mcp', 'mcpServers'),
    agents: () => keysOf('rules', 'agents'),
  }
}

function keysOf(kind: 'mcp' | 'rules', key: string): string[] {
  const path = locate(kind, { cwd: process.cwd(), env: process.env })
  if (path === undefined) return []
  try {
    const content: unknown = JSON.parse(readFileSync(path, 'utf8'))
    const found = isObject(content) ? content[key] : undefined
    return isObject(found) ? Object.keys(found) : []
  } catch {
    return [] // A broken file completes nothing; `portolan check` says what is wrong with it.
  }
}

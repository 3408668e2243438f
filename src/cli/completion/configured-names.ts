import { readFileSync } from 'node:fs'
import { findFiles } from '../../config/paths.ts'
import { isObject } from '../../base/json/json.ts'
import type { Names } from './suggest.ts'

/** Reads the files without validation, because the user waits after pressing TAB. */
export function configuredNames(): Names {
  return {
    servers: () => keysOf('mcp', 'mcpServers'),
    agents: () => keysOf('rules', 'agents'),
  }
}

function keysOf(kind: 'mcp' | 'rules', key: string): string[] {
  const files = findFiles(kind, { cwd: process.cwd(), env: process.env })
  return [...new Set(files.flatMap(({ path }) => keysIn(path, key)))]
}

function keysIn(path: string, key: string): string[] {
  try {
    const content: unknown = JSON.parse(readFileSync(path, 'utf8'))
    const found = isObject(content) ? content[key] : undefined
    return isObject(found) ? Object.keys(found) : []
  } catch {
    return [] // A broken file suggests nothing; `portolan check` explains the problem.
  }
}
